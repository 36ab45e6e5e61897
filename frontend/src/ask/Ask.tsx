import { type FormEvent, useEffect, useState } from "react";
import { type Partner, type Rows, type Session, type TableInfo, ask, askFor, at, send } from "../api";
import { ResultTable } from "../look/Panels";
import { Note } from "../parts";
import { type Route, address, go } from "../route";
import { inTurn } from "../places";
import { message, useLoaded } from "../use";
import { Plot, type PlotKind, PLOTS, choosePlot } from "./Plot";
import type { Where } from "./PlaceMap";
import { SqlBox } from "./SqlBox";

const FIRST = "select name, title, rows, columns, confidence from tables order by confidence limit 50";

/** The parameters of a question, `:name`, but for those in quotes and casts. */
export function parametersIn(sql: string): string[] {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
  return [...new Set([...bare.matchAll(/(?<![\w:\])]):([\p{L}_]\w*)/gu)].map((one) => one[1]!))];
}

const FEW = 5; // places that make no map

/** The first column of which most texts name countries or states. */
async function findPlaces(rows: Rows): Promise<Where | null> {
  for (const column of rows.columns.map((_, number) => number).filter((one) => rows.rows.some((row) => typeof row[one] === "string")).slice(0, 3)) {
    const labels = rows.rows.map((row) => (typeof row[column] === "string" ? (row[column] as string).slice(0, 500) : ""));
    const { kind, codes } = await send<{ kind: Where["kind"] | null; codes: (string | null)[] }>("/places", { labels });
    const told = codes.filter(Boolean);
    if (kind && told.length * 2 > labels.filter(Boolean).length && new Set(told).size >= FEW) return { column, kind, codes };
  }
  return null;
}

/** SQL over all tables: grid, plot, joins, saved queries, export. */
export function Ask({ session, route }: { session: Session; route: Route }) {
  const [sql, setSql] = useState(route.values.sql ?? FIRST);
  const [answer, setAnswer] = useState<{ rows: Rows; took: number; sql: string; parameters: Record<string, string | undefined> } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(Object.entries(route.values).filter(([name]) => name.startsWith("p.")).map(([name, value]) => [name.slice(2), value])));
  const wanted = parametersIn(sql);
  const run = async (text: string) => {
    const names = parametersIn(text);
    if (names.some((name) => !values[name])) return setError(`Give a value for ${names.filter((name) => !values[name]).join(", ")}.`);
    setBusy(true);
    setError(null);
    const begun = performance.now();
    try {
      const parameters = Object.fromEntries(names.map((name) => [name, values[name]]));
      setAnswer({ rows: await send<Rows>("/query", { sql: text, limit: 2000, parameters }), took: performance.now() - begun, sql: text, parameters });
    } catch (failed) {
      setError(message(failed));
    }
    setBusy(false);
  };
  useEffect(() => {
    if (!route.values.sql) return;
    setSql(route.values.sql);
    void run(route.values.sql);
  }, [route.values.sql]);
  const [where, setWhere] = useState<Where | null>(null);
  useEffect(() => {
    let current = true;
    setWhere(null);
    if (answer) void findPlaces(answer.rows).then((found) => current && setWhere(found), () => undefined);
    return () => { current = false; };
  }, [answer]);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (sql === route.values.sql) void run(sql);
    else go(address("ask", "", state(sql)));
  };
  const state = (text: string) => ({ sql: text, ...Object.fromEntries(parametersIn(text).map((name) => [`p.${name}`, values[name]])) });
  const kind = (route.values.plot as PlotKind | undefined) ?? (answer ? choosePlot(answer.rows, where) : "none");
  return (
    <div className="ask">
      <h1 className="unseen">Query the tables</h1>
      <section aria-label="Query editor">
        <form onSubmit={submit}>
          <SqlBox value={sql} change={setSql} submit={() => submit()} />
          {wanted.length > 0 && <div className="row-of">{wanted.map((name) => <label key={name}>{name} <input value={values[name] ?? ""} onChange={(event) => setValues({ ...values, [name]: event.target.value })} /></label>)}</div>}
          <div className="row-of">
            <button type="submit" className="main" disabled={busy}>{busy ? "Running …" : "Run"}</button><span className="dim">Ctrl+Enter</span>
            {answer && <span className="dim" role="status">{answer.rows.rows.length.toLocaleString("en")}{answer.rows.more ? " first" : ""} rows in {Math.round(answer.took)} ms</span>}
            <span className="grow" />
            {answer && <label>Plot <select value={kind} onChange={(event) => go(address("ask", "", { ...state(route.values.sql ?? sql), plot: event.target.value }), true)}>{PLOTS.map((one) => <option key={one}>{one}</option>)}</select></label>}
            {answer && <Download sql={answer.sql} parameters={answer.parameters} failed={setError} />}
          </div>
        </form>
        {error && <Note kind="bad">{error}</Note>}
        {answer && kind !== "none" && <Plot rows={answer.rows} kind={kind} where={where} />}
        {answer && <div className="scroll" tabIndex={0} role="region" aria-label="Rows"><ResultTable rows={answer.rows} /></div>}
      </section>
      <Beside session={session} sql={sql} put={(text) => { setSql(text); go(address("ask", "", { sql: text })); }} />
    </div>
  );
}

const FORMS = ["csv", "xlsx", "json", "jsonl", "parquet", "html", "markdown", "xml"];
const ENDINGS: Record<string, string> = { markdown: "md" };

/** All rows of the question, as a file. */
function Download({ sql, parameters, failed }: { sql: string; parameters: Record<string, string | undefined>; failed: (said: string) => void }) {
  const save = async (form: string) => {
    try {
      const answer = await askFor("/query/export", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ sql, form, parameters }) });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = `answer.${ENDINGS[form] ?? form}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      failed(message(error));
    }
  };
  return <label>Save <select value="" onChange={(event) => void save(event.target.value)}><option value="">…</option>{FORMS.map((form) => <option key={form}>{form}</option>)}</select></label>;
}

interface SavedQuery { name: string; sql: string; description: string; parameters: string[] }

/** Questions that are kept under a name, for everybody who opens the library. */
function Saved({ session, sql, put }: { session: Session; sql: string; put: (sql: string) => void }) {
  const { value, again } = useLoaded<{ queries: SavedQuery[] }>("queries", () => ask("/queries"));
  const [error, setError] = useState<string | null>(null);
  const save = (form: HTMLFormElement) => {
    const name = String(new FormData(form).get("name") ?? "").trim();
    send(`/queries/${encodeURIComponent(name)}`, { sql }, "PUT").then(() => { setError(null); form.reset(); again(); }, (failed) => setError(message(failed)));
  };
  const forget = (name: string) => void ask(`/queries/${encodeURIComponent(name)}`, { method: "DELETE" }).then(again, (failed) => setError(message(failed)));
  return (
    <>
      <h2>Saved queries</h2>
      <ul aria-label="Saved queries">{value?.queries.map((one) => (
        <li key={one.name}><button type="button" className="link" title={one.description || one.sql} onClick={() => put(one.sql)}>{one.name}</button> <span className="dim">{one.parameters.map((name) => `:${name}`).join(" ")}</span> {session.write && <button type="button" className="quiet" aria-label={`Forget ${one.name}`} onClick={() => forget(one.name)}>✕</button>}</li>
      ))}</ul>
      {session.write && <form className="row-of" onSubmit={(event) => { event.preventDefault(); save(event.currentTarget); }}><input name="name" aria-label="Name of the query" placeholder="save as …" required pattern="[^\W\d]\w*" /><button type="submit">Save</button></form>}
      {error && <Note kind="bad">{error}</Note>}
    </>
  );
}

/** The tables there are, and what can be joined with one of them. */
function Beside({ session, sql, put }: { session: Session; sql: string; put: (sql: string) => void }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const { value } = useLoaded<{ tables: TableInfo[] }>("tables", () => ask<{ tables: TableInfo[] }>("/tables?limit=500").then(inTurn));
  const joins = useLoaded<{ partners: Partner[] }>(chosen, () => ask(at(chosen!, "joins?limit=10")));
  return (
    <aside aria-label="Tables, joins and saved queries">
      <Saved session={session} sql={sql} put={put} />
      <h2>Tables</h2>
      <ul tabIndex={0} aria-label="Tables">{value?.tables.map((one) => (
        <li key={one.id}><button type="button" className="link" title={one.title ?? ""} onClick={() => put(`select * from "${one.name}" limit 200`)}>{one.name}</button> <button type="button" className="quiet" aria-label={`Joins of ${one.name}`} title="Find tables that join with it" aria-pressed={chosen === one.name} onClick={() => setChosen(one.name)}>⋈</button></li>
      ))}</ul>
      {chosen && <h2>Joins of {chosen}</h2>}
      {chosen && joins.loading && <Note>Looking …</Note>}
      {chosen && joins.error && <Note kind="bad">{joins.error}</Note>}
      {chosen && !joins.loading && joins.value && (joins.value.partners.length ? (
        <ul tabIndex={0} aria-label={`Joins of ${chosen}`}>{joins.value.partners.map((one) => (
          <li key={one.table}><button type="button" className="link" onClick={() => put(one.sql)}>{one.name}</button> <span className="dim">{one.on.map(([mine, theirs]) => (mine === theirs ? mine : `${mine} = ${theirs}`)).join(", ")}: {one.matched} of {one.matched + one.unmatched} rows match{one.weak ? ", weak" : ""}</span></li>
        ))}</ul>
      ) : <Note>No table joins with it.</Note>)}
    </aside>
  );
}
