// The tools of repair: what is selected gets a role, an edge, a cut, a text. Each has a key, which its title names.
import { type FormEvent, useState } from "react";
import type { Operation, Reading, Role, RowRole } from "../api";
import { Dialog } from "../parts";
import { type Area, areaText } from "../places";
import { type Strokes, say } from "./strokes";

export const ROW_KEYS: [RowRole, string][] = [["title", "t"], ["header", "h"], ["data", "d"], ["group", "g"], ["derived", "v"], ["note", "n"], ["blank", "b"]];
const CELL_ROLES: Role[] = ["title", "header", "stub", "group", "value", "derived", "note", "other"];
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

const MENUS: [string, [string, string][]][] = [
  ["Lines", [["J", "These rows are one"], ["K", "These columns are one"], ["S", "Each line of the row is a row"], ["P", "Each piece of the column is a column"]]],
  ["Cells", [["M", "These cells are one"], ["U", "This cell is several"]]],
  ["Tables", [["T", "Top edge is here"], ["B", "Bottom edge is here"], ["L", "Left edge is here"], ["R", "Right edge is here"], ["/", "Another table begins with this row"], ["\\", "Another table begins with this column"], ["+", "One table with what is above this row"], ["N", "This is no table"], ["Y", "The selection is a table"]]],
];

export function Toolbar({ reading, area, strokes }: { reading: Reading; area: Area | null; strokes: Strokes }) {
  const [saying, setSaying] = useState<string | null>(null);
  const run = (key: string) => {
    const operations = area && operationsFor(key, reading, area);
    if (operations) void strokes.make(operations);
  };
  return (
    <div className="toolbar" role="toolbar" aria-label="Repair">
      <button type="button" onClick={() => void strokes.undo()} title="Undo (Ctrl+Z)" aria-label="Undo">↶</button>
      <button type="button" onClick={() => void strokes.redo()} disabled={!strokes.canRedo} title="Redo (Ctrl+Shift+Z)" aria-label="Redo">↷</button>
      <span className="group" role="group" aria-label="The rows are">
        {ROW_KEYS.map(([role, key]) => <button key={role} type="button" disabled={!area} className={`paint role-${role === "data" ? "value" : role}`} title={`Rows: ${role} (${key})`} onClick={() => run(key)}>{role}</button>)}
      </span>
      <span className="group" role="group" aria-label="The columns are">
        <button type="button" disabled={!area} className="paint role-stub" title="Columns: labels (c)" onClick={() => area && void strokes.make(say.columnRole(reading, area, "stub"))}>stub</button>
        <button type="button" disabled={!area} className="paint role-value" title="Columns: values (c)" onClick={() => area && void strokes.make(say.columnRole(reading, area, "value"))}>values</button>
      </span>
      <select aria-label="The cells are" disabled={!area} value="" onChange={(event) => area && void strokes.make(say.cellRole(area, event.target.value as Role))}>
        <option value="">Cell …</option>{CELL_ROLES.map((role) => <option key={role}>{role}</option>)}
      </select>
      {MENUS.map(([name, entries]) => (
        <select key={name} aria-label={name} disabled={!area} value="" onChange={(event) => run(event.target.value)}>
          <option value="">{name} …</option>{entries.map(([key, text]) => <option key={key} value={key}>{text} ({key})</option>)}
        </select>
      ))}
      <select aria-label="Orientation" value={reading.orientation} onChange={(event) => void strokes.make(say.orient(reading, event.target.value))}>{ORIENTATIONS.map((one) => <option key={one}>{one}</option>)}</select>
      <select aria-label="Texts" value="" onChange={(event) => setSaying(event.target.value)}>
        <option value="">Text …</option>{["title", "caption", "unit", "note"].map((one) => <option key={one}>{one}</option>)}
      </select>
      {saying && <SayText what={saying} reading={reading} area={area} close={() => setSaying(null)} strokes={strokes} />}
    </div>
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
        <label>{what} <input name="text" defaultValue={what === "title" ? reading.title ?? "" : ""} autoFocus /></label>
        {local && area && (
          <fieldset><legend>of</legend>
            <label><input type="radio" name="where" value="area" defaultChecked /> {areaText(area)}</label>
            <label><input type="radio" name="where" value="table" /> the whole table</label>
          </fieldset>
        )}
        <p className="dim">Left empty, it is taken away.</p>
        <button type="submit" className="main">Say so</button>
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
      <button type="button" className="quiet" onClick={strokes.leave}>Leave</button>
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
