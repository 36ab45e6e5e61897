import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type AnnotatorState, type CellFacts, type Early, type Made, type Reading, type Session, type Side, type Value, ask, at, query, send } from "../api";
import { Note, roleName, Sure, Tabs } from "../parts";
import { a1, areaText, parseA1, short } from "../places";
import { type Route, address, go, parseRoute } from "../route";
import { message, useKept, useLoaded } from "../use";
import { useCells } from "./cells";
import { Grid, type GridProps, type Selection, areaOfSelection } from "./Grid";
import { DARK, Paths, litBy } from "./lighting";
import { Doubts, History, Metadata, Path, Pivot, Tidy } from "./Panels";
import { Printed } from "./Printed";
import { SavedPage } from "./SavedPage";
import { say, useStrokes } from "./strokes";
import { LookAlikes, MENU_KEYS, Toolbar, operationsFor } from "./Toolbar";
import { Trees } from "./Trees";

const TABS: [string, string][] = [["trees", "Trees"], ["tidy", "Tidy"], ["pivot", "Relation"], ["metadata", "Metadata"], ["doubts", "Uncertain"], ["history", "History"]];
const FORMS = ["csv", "xlsx", "parquet", "json", "jsonl", "html", "markdown", "xml", "turtle", "nquads", "rdfxml", "jsonld"];
const POLL = 8000;

/** One table: its source on one side, what was understood on the other. */
export function Look({ session, route }: { session: Session; route: Route }) {
  const [reading, setReading] = useState<Reading | null>(null);
  const [before, setBefore] = useState<Reading | null>(null);
  const [error, setError] = useState<string | null>(null);
  const annotator = route.values.annotator ?? "";
  const held = useRef<Reading | null>(null);
  const show = useCallback((next: Reading) => {
    setBefore(held.current?.id === next.id ? held.current : null);
    setReading((held.current = next));
    setError(null);
  }, []);
  const load = useCallback(async (name?: string, made?: Reading) => {
    try {
      const next = made ?? await ask<Reading>(at(name ?? held.current?.id ?? route.name, `reading?${query({ annotator })}`));
      show(next);
      // a stroke can give a table another name: the address follows
      const here = parseRoute(location.hash);
      if (next.name !== here.name && !name) go(address("table", next.name, here.values), true);
    } catch (failed) {
      setError(message(failed));
    }
  }, [route]);
  useEffect(() => {
    if (held.current?.name === route.name || held.current?.id === route.name) return;
    setReading((held.current = null));
    void load(route.name);
  }, [route.name]); // eslint-disable-line
  if (error) return <Note kind="bad">{error} <a href={address("find")}>Find another table</a></Note>;
  if (!reading) return <Note>Opening …</Note>;
  return <Opened key={reading.id} session={session} route={route} reading={reading} before={before} load={load} />;
}

function Opened({ session, route, reading, before, load }: { session: Session; route: Route; reading: Reading; before: Reading | null; load: (name?: string, made?: Reading) => Promise<void> }) {
  const annotator = route.values.annotator ?? "";
  const [name, setAuthor] = useKept("author", session.author ?? "");
  const author = annotator || name;
  const [looks, setLooks] = useKept("looks", "roles");
  const [found, setFound] = useState<{ focus: string; facts: CellFacts } | null>(null);
  const [selected, setSelected] = useState<Selection | null>(() => {
    const cell = parseA1(route.values.cell ?? "");
    return cell && { anchor: cell, focus: cell, lines: null };
  });
  const cells = useCells(reading.id, annotator, reading.version);
  const tab = route.values.view ?? "trees";
  const side = route.values.side ?? "source";
  const rows = reading.sheet?.rows ?? reading.rows;
  const columns = reading.sheet?.columns ?? reading.columns;
  const area = selected ? areaOfSelection(selected, rows, columns) : null;
  const state = useCallback((values: Record<string, string>) => {
    const here = parseRoute(location.hash); // a stroke may have given the table another name meanwhile
    go(address("table", here.name, { ...here.values, ...values }), true);
  }, []);

  const latest = useRef(reading.version);
  latest.current = reading.version;
  const drawn = useCallback((early: Early) => {
    if (cells.seen) cells.put(early.cells, cells.seen);
    void load(undefined, early.reading);
  }, [load, cells]);
  const changed = useCallback(async (made: Made) => {
    if (made.tables.includes(reading.id)) return made.reading && made.cells ? drawn(made as Early) : made.version === latest.current ? undefined : load();
    const other = reading.tables.find((one) => one.id !== reading.id && made.tables.includes(one.id));
    if (other) go(address("table", other.id));
    return undefined;
  }, [reading, load, drawn]);
  const sight = useCallback(() => cells.seen ? { table: reading.id, ...cells.seen } : undefined, [cells, reading.id]);
  const strokes = useStrokes(reading, author, annotator, { drawn, changed, failed: load, sight });

  const select = useCallback((next: Selection) => setSelected(next), []);
  const choose = useCallback((cell: [number, number]) => setSelected({ anchor: cell, focus: cell, lines: null }), []);
  const focus = selected && `${selected.focus[0]},${selected.focus[1]}`;
  const facts = found && found.focus === focus ? found.facts : null;
  useEffect(() => {
    if (!selected) return;
    let current = true;
    const [row, column] = selected.focus;
    // asked once a stroke is kept: while it is only drawn, the server still tells what was before
    if (!strokes.busy) ask<CellFacts>(at(reading.id, `cell?${query({ row, column, annotator })}`)).then((got) => current && setFound({ focus: `${row},${column}`, facts: got }), () => current && setFound(null));
    const timer = setTimeout(() => state({ cell: a1(row, column) }), 300);
    return () => { current = false; clearTimeout(timer); };
  }, [focus, reading.version, strokes.busy]); // eslint-disable-line
  const paths = useMemo(() => new Paths(reading), [reading]);
  // lit at once by what is known here; the server has the last word
  const likely = useMemo(() => (selected ? paths.light(...selected.focus, cells.at(...selected.focus)?.role) : DARK), [focus, paths]); // eslint-disable-line
  const lit = useMemo(() => (facts ? litBy(facts, likely) : likely), [facts, likely]);

  const [menu, setMenu] = useState<string | null>(null);
  const stroke = useRef(strokes);
  stroke.current = strokes;
  const moveHeader = useCallback((from: Side, header: [number, number], to: [number, number] | null) => void stroke.current.make(say.moveHeader(from, header, to)), []);
  const moveEdge = useCallback<GridProps["moveEdge"]>((edge, line) => void stroke.current.make(say.edge(reading, edge, line)), [reading]);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z" && event.key !== "y") return;
      event.preventDefault();
      void (event.shiftKey || event.key === "y" ? strokes.redo() : strokes.undo());
      return;
    }
    if (session.write && area && !event.altKey && MENU_KEYS[event.key]) { event.preventDefault(); setMenu(MENU_KEYS[event.key]!); return; }
    const operations = session.write && area && !event.altKey ? operationsFor(event.key, reading, area) : null;
    if (operations) { event.preventDefault(); void strokes.make(operations); }
  };

  const pressed = useRef(press);
  pressed.current = press;
  const onKey = useCallback((event: KeyboardEvent) => pressed.current(event), []);

  const [news, setNews] = useState(0);
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      ask<{ version: number }>(`/documents/${reading.document}/corrections?${query({ annotator })}`).then(({ version }) => setNews(version - reading.version), () => undefined);
    };
    setNews(0);
    const timer = setInterval(look, POLL);
    return () => clearInterval(timer);
  }, [reading.document, reading.version]);

  const shared = { reading, cells, selected, select, lit };
  const widths = useMemo(() => reading.sheet?.widths ?? {}, [reading.id]); // eslint-disable-line
  const siblings = useMemo(() => reading.tables.filter((one) => (reading.sheet ? one.sheet === reading.sheet.name : one.id === reading.id)), [reading]);
  const grid = (
    <Grid {...shared} rows={rows} columns={columns} widths={widths} looks={looks === "source" ? "source" : "roles"} siblings={siblings} editable={session.write} moveHeader={moveHeader} moveEdge={moveEdge} onKey={onKey} paths={paths} />
  );
  const tabs: [string, string][] = reading.medium === "spreadsheet" ? TABS : [["grid", "Grid"], ...TABS];
  return (
    <div className="look" data-side={side} onKeyDown={(event) => { if ((event.ctrlKey || event.metaKey) && !event.defaultPrevented && !(event.target instanceof HTMLInputElement)) onKey(event); }}>
      <header className="about">
        <h1>{reading.title || reading.name}</h1>
        <p className="dim">
          <a href={address("find", "", { document: reading.document })}>{short(reading.source)}</a>
          {reading.place.sheet && ` · ${reading.place.sheet}`}{reading.place.page && ` · page ${reading.place.page}`}{reading.place.range && ` · ${reading.place.range}`} · {reading.orientation} · {reading.tuples.toLocaleString("en")} values · <Sure share={reading.confidence} />
        </p>
        <div className="choices">
          {reading.tables.length > 1 && (
            <label>Table <select value={reading.name} onChange={(event) => go(address("table", event.target.value))}>{reading.tables.map((one) => <option key={one.id} value={one.name}>{one.title || one.name}</option>)}</select></label>
          )}
          <label>Show <select value={looks} onChange={(event) => setLooks(event.target.value)}><option value="roles">roles</option><option value="source">as it looks</option></select></label>
          <label>Export <select value="" onChange={(event) => { location.href = at(reading.id, `export?${query({ form: event.target.value })}`); }}><option value="">…</option>{FORMS.map((form) => <option key={form}>{form}</option>)}</select></label>
          {session.write && !annotator && <label>I am <input className="author" value={name} placeholder="your name" onChange={(event) => setAuthor(event.target.value)} /></label>}
          <span className="sides" role="group" aria-label="Which side is shown">
            {["source", "table"].map((one) => <button key={one} type="button" aria-pressed={side === one} onClick={() => state({ side: one })}>{one}</button>)}
          </span>
        </div>
      </header>
      {annotator && <GroundTruth reading={reading} annotator={annotator} />}
      {session.write && <Toolbar reading={reading} area={area} strokes={strokes} menu={menu} setMenu={setMenu} />}
      {news > 0 && <div className="banner" role="status">Somebody else has corrected this document ({news}). <button type="button" onClick={() => void load()}>Show it</button></div>}
      {strokes.said && (
        <div className={`banner ${strokes.said.kind}`} role={strokes.said.kind === "good" ? "status" : "alert"}>
          <span>{strokes.said.text}</span>
          {strokes.said.again && <button type="button" onClick={() => { strokes.quiet(); void load(); }}>Show their correction</button>}
          {strokes.said.kind === "good" && <button type="button" onClick={() => void strokes.undo()}>Undo</button>}
          <button type="button" className="quiet" aria-label="Close" onClick={strokes.quiet}>✕</button>
        </div>
      )}
      <LookAlikes strokes={strokes} />
      <div className="panes">
        <section className="source" aria-label="Source">
          {reading.medium === "spreadsheet" ? grid : reading.pages.length ? <Printed {...shared} /> : <SavedPage {...shared} />}
        </section>
        <section className="understood" aria-label="Reading">
          <Facts facts={facts} area={area && areaText(area)} table={reading.id} choose={choose} />
          <Tabs label="Views of the table" tabs={tabs} chosen={tab} choose={(view) => state({ view })} />
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="panel">
            {tab === "grid" ? grid : tab === "tidy" ? <Tidy reading={reading} choose={choose} /> : tab === "pivot" ? <Pivot reading={reading} /> : tab === "metadata" ? <Metadata reading={reading} /> : tab === "doubts" ? <Doubts reading={reading} /> :
              tab === "history" ? <History reading={reading} annotator={annotator} undo={session.write ? (one) => void strokes.takeBack([one.id]) : null} /> :
              <Trees reading={reading} before={before} chosen={focus} litPath={lit.cells} editable={session.write} choose={choose} moveHeader={moveHeader} />}
          </div>
        </section>
      </div>
    </div>
  );
}

/** That this is ground truth, and whether it is finished. */
function GroundTruth({ reading, annotator }: { reading: Reading; annotator: string }) {
  const { value, again } = useLoaded<{ annotators: AnnotatorState[] }>(`${reading.id} ${reading.version}`, () => ask("/annotations"));
  const mine = value?.annotators.find((one) => one.annotator === annotator && one.document === reading.document);
  const done = mine?.finished.includes(reading.id) ?? false;
  const say = () => void send(at(reading.id, "annotations/finished"), { annotator, done: !done }).then(again);
  return (
    <div className="banner" role="status">
      <span>Labels by <b>{annotator}</b>: the library itself is not changed.</span>
      <label><input type="checkbox" checked={done} onChange={say} /> I am done with this table</label>
      <a href={address("annotate", "", { annotator })}>All tables</a>
    </div>
  );
}

/** A number with what stands beside it: `> 98`, `32.5 ± 0.6`, `12 to 15`. */
export const measured = ({ value, bound, error, low, high }: Value): string =>
  `${bound ? `${bound} ` : ""}${value}${error != null ? ` ± ${error}` : low != null && high != null ? ` (${low} to ${high})` : ""}`;

/** What is known of the cell at the cursor. */
function Facts({ facts, area, table, choose }: { facts: CellFacts | null; area: string | null; table: string; choose: (cell: [number, number]) => void }) {
  const [cited, setCited] = useState("");
  useEffect(() => setCited(""), [facts]);
  if (!facts) return <div className="cell-facts dim" aria-live="polite">Select a cell: a value shows its headers, a header its values.</div>;
  const value = facts.tuple;
  const cite = () => ask<{ text: string }>(at(table, `citation?${query({ address: facts.address })}`)).then((one) => { setCited(one.text); void navigator.clipboard?.writeText(one.text).catch(() => undefined); }, (failed) => setCited(message(failed)));
  return (
    <div className="cell-facts" aria-live="polite">
      <p className="what"><b>{area && area.includes(":") ? area : facts.address}</b> <span className={`chip role-${facts.role ?? "none"}`}>{facts.role ? roleName(facts.role) : "no role"}</span> <span className="said">{facts.text}</span></p>
      {value && (
        <dl>
          <div><dt>row headers</dt><dd>{value.left.length ? <Path labels={value.left} /> : <span className="dim">none</span>}</dd></div>
          <div><dt>column headers</dt><dd>{value.top.length ? <Path labels={value.top} /> : <span className="dim">none</span>}</dd></div>
          <div><dt>value</dt><dd>{value.value === null ? <span className="dim">missing</span> : measured(value)} {value.unit}{value.confidence < 0.9 && <> · <Sure share={value.confidence} /></>}</dd></div>
          {value.notes.length > 0 && <div><dt>notes</dt><dd>{value.notes.join(" · ")}</dd></div>}
        </dl>
      )}
      {facts.header && <p>{facts.header.side} header <Path labels={facts.header.path} /> over {facts.header.values.toLocaleString("en")} values{facts.header.probability < 0.6 && <> · <em>its parent is uncertain</em></>}</p>}
      {value && <p><button type="button" className="link" onClick={() => void cite()}>Cite</button> {value.left_cells.length > 0 && <button type="button" className="link" onClick={() => choose(value.left_cells.at(-1)!)}>Its header</button>} <span className="cited">{cited}</span></p>}
    </div>
  );
}
