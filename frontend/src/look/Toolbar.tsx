// The tools of repair: what is selected gets a role, an edge, a cut, a text. Each has a key, which its title names.
import { type FormEvent, type KeyboardEvent, useState } from "react";
import type { Operation, Reading, Role, RowRole } from "../api";
import { Dialog, roleName } from "../parts";
import { type Area, areaText } from "../places";
import { type Strokes, say } from "./strokes";

export const ROW_KEYS: [RowRole, string][] = [["title", "t"], ["header", "h"], ["data", "d"], ["group", "g"], ["derived", "v"], ["note", "n"], ["blank", "b"]];
const ORIENTATIONS = ["column", "row", "row-column", "multiple", "none"];

/** The operations that a key stands for, given what is selected. */
export function operationsFor(key: string, reading: Reading, area: Area): Operation[] | null {
  const role = ROW_KEYS.find(([, letter]) => letter === key)?.[0];
  if (role) return say.rowRole(area, role);
  switch (key) {
    case "c": return say.columnRole(reading, area, reading.stub_columns.includes(area.left) ? "value" : "stub");
    case "J": return say.joinLines("row", area.top, area.bottom === area.top ? area.top + 1 : area.bottom);
    case "K": return say.joinLines("column", area.left, area.right === area.left ? area.left + 1 : area.right);
    case "S": return say.partLine("row", area.top);
    case "P": return say.partLine("column", area.left);
    case "T": return say.edge(reading, "top", area.top);
    case "B": return say.edge(reading, "bottom", area.bottom);
    case "L": return say.edge(reading, "left", area.left);
    case "R": return say.edge(reading, "right", area.right);
    case "/": return say.cut("row", area.top, true);
    case "\\": return say.cut("column", area.left, true);
    case "+": return say.cut("row", area.top, false);
    case "M": return say.joinCells(area, true);
    case "U": return say.joinCells(area, false);
    case "o": return say.orient(reading, ORIENTATIONS[(ORIENTATIONS.indexOf(reading.orientation) + 1) % ORIENTATIONS.length]!);
    case "N": return say.noTable(reading);
    case "Y": return say.table(area, true);
    default: return null;
  }
}

type Entry = [key: string, text: string];
const MENUS: Record<string, Entry[]> = {
  Cell: [["t", "title"], ["h", "header"], ["s", "stub"], ["g", "group"], ["v", "value"], ["d", "derived"], ["n", "note"], ["o", "other"]],
  Lines: [["J", "Merge these rows"], ["K", "Merge these columns"], ["S", "Split the row at its lines"], ["P", "Split the column at its gaps"]],
  Cells: [["M", "Merge these cells"], ["U", "Split this cell"]],
  Tables: [["T", "Set the top edge here"], ["B", "Set the bottom edge here"], ["L", "Set the left edge here"], ["R", "Set the right edge here"], ["/", "Split the table before this row"], ["\\", "Split the table before this column"], ["+", "Merge with the table above this row"], ["N", "Not a table"], ["Y", "Make the selection a table"]],
  Orientation: [["c", "column"], ["r", "row"], ["x", "row-column"], ["m", "multiple"], ["n", "none"]],
  Text: [["t", "title"], ["c", "caption"], ["u", "unit"], ["n", "note"]],
};
const TITLES: Record<string, string> = { Cell: "Role of the cells", Lines: "Rows and columns", Cells: "Cells", Tables: "Tables", Orientation: "Where the headers are", Text: "Title, caption, unit or note" };
/** Keys that open a menu, in which another key chooses. */
export const MENU_KEYS: Record<string, string> = { e: "Cell", w: "Text" };

/** `menu` is the one that is open; a key can open it as well as its button. */
export function Toolbar({ reading, area, strokes, menu, setMenu }: { reading: Reading; area: Area | null; strokes: Strokes; menu: string | null; setMenu: (menu: string | null) => void }) {
  const [saying, setSaying] = useState<string | null>(null);
  const run = (key: string) => {
    const operations = area && operationsFor(key, reading, area);
    if (operations) void strokes.make(operations);
  };
  const choose = (name: string, [key, text]: Entry) => {
    setMenu(null);
    if (name === "Text") setSaying(text);
    else if (name === "Orientation") void strokes.make(say.orient(reading, text));
    else if (name !== "Cell") run(key);
    else if (area) void strokes.make(say.cellRole(area, text as Role));
  };
  const opener = (name: string, text = `${name} …`, key = "") => (
    <button key={name} type="button" aria-haspopup="dialog" aria-label={text === `${name} …` ? name : `${name}: ${text}`} title={`${TITLES[name]}${key && ` (${key})`}`} disabled={!area && name !== "Orientation" && name !== "Text"} onClick={() => setMenu(name)}>{text}</button>
  );
  return (
    <div className="toolbar" role="toolbar" aria-label="Fix the table" aria-busy={strokes.busy}>
      <button type="button" onClick={() => void strokes.undo()} title="Undo (Ctrl+Z)" aria-label="Undo">↶</button>
      <button type="button" onClick={() => void strokes.redo()} disabled={!strokes.canRedo} title="Redo (Ctrl+Shift+Z)" aria-label="Redo">↷</button>
      <span className="group" role="group" aria-label="The rows are">
        {ROW_KEYS.map(([role, key]) => <button key={role} type="button" disabled={!area} className={`paint role-${role === "data" ? "value" : role}`} title={`Rows: ${roleName(role)} (${key})`} onClick={() => run(key)}>{roleName(role)}</button>)}
      </span>
      <span className="group" role="group" aria-label="The columns are">
        <button type="button" disabled={!area} className="paint role-stub" title="Columns: row headers (c)" onClick={() => area && void strokes.make(say.columnRole(reading, area, "stub"))}>row headers</button>
        <button type="button" disabled={!area} className="paint role-value" title="Columns: values (c)" onClick={() => area && void strokes.make(say.columnRole(reading, area, "value"))}>values</button>
      </span>
      {opener("Cell", "Cell …", "e")}{opener("Lines")}{opener("Cells")}{opener("Tables")}{opener("Orientation", reading.orientation, "o")}{opener("Text", "Text …", "w")}
      {menu && <Choices title={TITLES[menu]!} entries={MENUS[menu]!} painted={menu === "Cell"} close={() => setMenu(null)} choose={(entry) => choose(menu, entry)} />}
      {saying && <SayText what={saying} reading={reading} area={area} close={() => setSaying(null)} strokes={strokes} />}
    </div>
  );
}

/** Some choices, each with its key. */
function Choices({ title, entries, painted, close, choose }: { title: string; entries: Entry[]; painted: boolean; close: () => void; choose: (entry: Entry) => void }) {
  const onKey = (event: KeyboardEvent) => {
    const entry = entries.find(([key]) => key === event.key);
    event.stopPropagation();
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(entry);
  };
  return (
    <Dialog title={title} close={close} onKey={onKey}>
      <ul className="choices-list">
        {entries.map((entry, number) => <li key={entry[0]}><button type="button" data-first={number ? undefined : ""} onClick={() => choose(entry)}><span className={painted ? `chip role-${entry[1]}` : ""}>{painted ? roleName(entry[1]) : entry[1]}</span><kbd>{entry[0]}</kbd></button></li>)}
      </ul>
    </Dialog>
  );
}

function SayText({ what, reading, area, close, strokes }: { what: string; reading: Reading; area: Area | null; close: () => void; strokes: Strokes }) {
  const local = what === "unit" || what === "note";
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = String(form.get("text") ?? "").trim();
    void strokes.make(say.text(reading, what, text || null, local && form.get("where") === "area" ? area : null));
    close();
  };
  return (
    <Dialog title={`The ${what}`} close={close}>
      <form className="fields" onSubmit={submit}>
        <label>{what} <input name="text" defaultValue={what === "title" ? reading.title ?? "" : ""} data-first="" /></label>
        {local && area && (
          <fieldset><legend>of</legend>
            <label><input type="radio" name="where" value="area" defaultChecked /> {areaText(area)}</label>
            <label><input type="radio" name="where" value="table" /> the whole table</label>
          </fieldset>
        )}
        <p className="dim">Leave it empty to remove it.</p>
        <button type="submit" className="main">Save</button>
      </form>
    </Dialog>
  );
}

/** "12 more like this in 3 sheets": preview, apply, leave. */
export function LookAlikes({ strokes }: { strokes: Strokes }) {
  const [open, setOpen] = useState(false);
  const [without, setWithout] = useState<ReadonlySet<number>>(new Set());
  const alike = strokes.alike;
  if (!alike) return null;
  const count = alike.proposals.length;
  return (
    <div className="banner alike" role="status">
      <span>{count} more like this{alike.sheets > 1 ? ` in ${alike.sheets} sheets` : ""}.</span>
      <button type="button" onClick={() => setOpen(true)}>Preview</button>
      <button type="button" className="main" onClick={() => void strokes.accept([])}>Apply to all</button>
      <button type="button" className="quiet" onClick={strokes.leave}>Dismiss</button>
      {open && (
        <Dialog title={`${count} more like this`} close={() => setOpen(false)}>
          <ul className="proposals">{alike.proposals.map((one, number) => (
            <li key={number}><label><input type="checkbox" checked={!without.has(number)} onChange={() => setWithout((before) => { const next = new Set(before); if (!next.delete(number)) next.add(number); return next; })} /> {one.place.sheet ? `${one.place.sheet}: ` : ""}{one.words}</label></li>
          ))}</ul>
          <button type="button" className="main" onClick={() => { setOpen(false); void strokes.accept([...without]); }}>Apply to {count - without.size}</button>
        </Dialog>
      )}
    </div>
  );
}
