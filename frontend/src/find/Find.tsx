import { useEffect, useRef, useState } from "react";
import { type DocumentInfo, type Found, type Rows, type Session, type TableInfo, ask, query, send } from "../api";
import { Marked, Note, Sure } from "../parts";
import { short } from "../places";
import { type Route, address, go } from "../route";
import { useLoaded, useRested } from "../use";
import { Upload } from "./Upload";

const FACETS: [string, string][] = [["medium", "Medium"], ["kind", "Kind"], ["size", "Size"], ["year", "Year"]];
const DOUBTFUL = `select t.name, t.title, t.sheet, t.page, t.confidence, t.orientation, d.source from tables t join documents d using (document_id) order by t.confidence, t.name limit 100`;

export function Find({ session, route }: { session: Session; route: Route }) {
  const asked = route.values.q ?? "";
  const view = route.values.view ?? (asked ? "hits" : "documents");
  const [text, setText] = useState(asked);
  const rested = useRested(text, 250);
  const [turn, setTurn] = useState(0);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    if (rested === text && rested !== asked) go(address("find", "", { q: rested, view: rested ? "hits" : "" }), true);
  }, [rested]); // eslint-disable-line
  return (
    <div className="find">
      <h1 className="unseen">Find tables</h1>
      <form role="search" className="search" onSubmit={(event) => { event.preventDefault(); go(address("find", "", { q: text, view: text ? "hits" : "" })); }}>
        <input type="search" aria-label="Search tables" placeholder="Search tables: words, “phrases”, numbers, year:1990..2000, medium:pdf" value={text} onChange={(event) => setText(event.target.value)} autoFocus />
        <a className="button" href={address("find")} aria-current={view === "documents" ? "true" : undefined}>Documents</a>
        <a className="button" href={address("find", "", { view: "doubt" })} aria-current={view === "doubt" ? "true" : undefined}>Uncertain first</a>
      </form>
      {view === "hits" && asked ? <Hits asked={asked} shown={Number(route.values.limit ?? 20)} /> :
        view === "doubt" ? <Doubtful /> :
        <Upload enabled={session.write} done={() => setTurn((before) => before + 1)}><Documents turn={turn} opened={route.values.document ?? ""} session={session} /></Upload>}
    </div>
  );
}

function Hits({ asked, shown }: { asked: string; shown: number }) {
  const { value: found, error } = useLoaded<Found>(`${asked} ${shown}`, () => ask(`/search?${query({ q: asked, limit: Math.min(shown, 100) })}`));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!found) return <Note>Searching …</Note>;
  const narrow = (name: string, value: string) => address("find", "", { q: `${asked} ${name}:${value}`, view: "hits" });
  return (
    <div className="split-find">
      <aside aria-label="Narrow down">
        {FACETS.map(([name, label]) => {
          const values = Object.entries(found.facets[name] ?? {});
          return values.length > 0 && (
            <section key={name}>
              <h2>{label}</h2>
              <ul>{values.slice(0, 8).map(([value, count]) => <li key={value}><a href={narrow(name, value)}>{value}</a> <span className="dim">{count}</span></li>)}</ul>
            </section>
          );
        })}
      </aside>
      <section aria-label="Tables found">
        <Note>{found.total.toLocaleString("en")} {found.total === 1 ? "table" : "tables"}</Note>
        <ol className="hits">
          {found.hits.map((hit) => (
            <li key={hit.table}>
              <h2><a href={address("table", hit.name)}>{hit.title || hit.name}</a></h2>
              <p className="dim">{short(hit.source)}{hit.place.sheet ? ` · ${hit.place.sheet}` : ""}{hit.place.page ? ` · page ${hit.place.page}` : ""}{hit.place.range ? ` · ${hit.place.range}` : ""} · {hit.rows} × {hit.columns} · {hit.tuples.toLocaleString("en")} values · <Sure share={hit.confidence} /></p>
              <ul className="highlights">
                {Object.entries(hit.highlights).slice(0, 4).map(([part, texts]) => <li key={part}><span className="dim">{part}</span> <Marked text={texts[0] ?? ""} /></li>)}
              </ul>
              <Preview name={hit.name} />
            </li>
          ))}
        </ol>
        {found.hits.length < found.total && shown < 100 && <a className="button" href={address("find", "", { q: asked, view: "hits", limit: Math.min(100, shown + 20) })}>More</a>}
      </section>
    </div>
  );
}

/** The first rows of a table, once it is seen. */
function Preview({ name }: { name: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true), { rootMargin: "200px" });
    if (ref.current) watcher.observe(ref.current);
    return () => watcher.disconnect();
  }, []);
  const { value } = useLoaded<Rows>(seen ? name : null, () => send("/query", { sql: `select * from "${name.replaceAll('"', '""')}" limit 4`, limit: 4 }));
  return (
    <div ref={ref} className="preview" tabIndex={0} role="region" aria-label={`First rows of ${name}`}>
      {value && (
        <table>
          <thead><tr>{value.columns.slice(0, 8).map((one) => <th key={one} scope="col">{one}</th>)}</tr></thead>
          <tbody>{value.rows.map((row, number) => <tr key={number}>{row.slice(0, 8).map((one, at) => <td key={at} className={typeof one === "number" ? "number" : ""}>{one === null ? "" : String(one)}</td>)}</tr>)}</tbody>
        </table>
      )}
    </div>
  );
}

function Doubtful() {
  const { value, error } = useLoaded<Rows>("doubt", () => send("/query", { sql: DOUBTFUL, limit: 100 }));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  return (
    <table className="list">
      <caption>Tables by confidence, lowest first</caption>
      <thead><tr><th scope="col">Table</th><th scope="col">Confidence</th></tr></thead>
      <tbody>{value.rows.map((row) => {
        const [name, title, sheet, page, confidence, , source] = row as [string, string | null, string | null, number | null, number, string, string];
        return <tr key={name}><td><a className="clamp" href={address("table", name)}>{title || name}</a><div className="dim">{short(source)}{sheet ? ` · ${sheet}` : ""}{page ? ` · page ${page}` : ""}</div></td><td><Sure share={confidence} /></td></tr>;
      })}</tbody>
    </table>
  );
}

function Documents({ turn, opened, session }: { turn: number; opened: string; session: Session }) {
  const { value, error, again } = useLoaded<{ documents: DocumentInfo[]; next: string | null }>(`documents ${turn}`, () => ask("/documents?limit=500"));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  if (!value.documents.length) return <Note>No documents yet. Drop some here: workbooks, CSV, web pages, PDF.</Note>;
  const remove = async (one: DocumentInfo) => {
    if (!confirm(`Take ${short(one.source)} out of the library? Its history stays.`)) return;
    await ask(`/documents/${one.id}`, { method: "DELETE" });
    again();
  };
  return (
    <table className="list">
      <caption>{value.documents.length}{value.next ? " and more" : ""} documents</caption>
      <thead><tr><th scope="col">Document</th><th scope="col" className="wide">Medium</th><th scope="col" className="number">Tables</th><th scope="col" className="number">Values</th><th scope="col" className="wide">Added</th><td className="wide" /></tr></thead>
      <tbody>{value.documents.map((one) => (
        <DocumentRow key={one.id} one={one} open={opened === one.id} remove={session.write ? () => void remove(one) : null} />
      ))}</tbody>
    </table>
  );
}

function DocumentRow({ one, open, remove }: { one: DocumentInfo; open: boolean; remove: (() => void) | null }) {
  return (
    <>
      <tr>
        <td><a href={address("find", "", { document: open ? "" : one.id })} aria-expanded={open}><span aria-hidden="true">{open ? "▾ " : "▸ "}</span>{short(one.source)}</a>{one.title && <div className="dim">{one.title}</div>}</td>
        <td className="wide">{one.medium}</td><td className="number">{one.tables}</td><td className="number">{one.tuples.toLocaleString("en")}</td><td className="wide dim day">{one.added.slice(0, 10)}</td>
        <td className="wide">{remove && <button type="button" className="quiet" aria-label={`Remove ${short(one.source)}`} onClick={remove}>✕</button>}</td>
      </tr>
      {open && <tr className="inner"><td colSpan={6}><DocumentTables id={one.id} /></td></tr>}
    </>
  );
}

function DocumentTables({ id }: { id: string }) {
  const { value, error } = useLoaded<{ tables: TableInfo[] }>(id, () => ask(`/tables?${query({ document: id, limit: 1000 })}`));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  if (!value.tables.length) return <Note>No table of data was found in it.</Note>;
  return (
    <ul className="cards">{value.tables.map((table) => (
      <li key={table.id}>
        <a href={address("table", table.name)}>{table.title || table.name}</a>
        <span className="dim">{table.sheet ?? (table.page ? `page ${table.page}` : "")} · {table.rows} × {table.columns}</span>
        <Sure share={table.confidence} />
      </li>
    ))}</ul>
  );
}
