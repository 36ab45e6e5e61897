import { useState } from "react";
import { type Agreement, type AnnotatorState, type DocumentInfo, type Session, type TableInfo, ask, at, query } from "../api";
import { Note, Sure } from "../parts";
import { inTurn, percent, short } from "../places";
import { type Route, address, go } from "../route";
import { useKept, useLoaded } from "../use";
import { PageParts } from "./PageParts";

/** Ground truth: each annotator on their own, how far two agree, and the labelled tables to learn from. */
export function Annotate({ session, route }: { session: Session; route: Route }) {
  const [kept, keep] = useKept("annotator", session.author ?? "");
  const annotator = route.values.annotator ?? kept;
  const other = route.values.other ?? "";
  const tables = useLoaded<{ tables: TableInfo[] }>("tables", () => ask<{ tables: TableInfo[] }>("/tables?limit=500").then(inTurn));
  const states = useLoaded<{ annotators: AnnotatorState[] }>("annotators", () => ask("/annotations"));
  const known = [...new Set(states.value?.annotators.map((one) => one.annotator) ?? [])].sort();
  const pages = useLoaded<{ documents: DocumentInfo[] }>("pages", () => ask("/documents?limit=500"));
  const [text, setText] = useState(annotator);
  if (route.name && annotator) return <PageParts session={session} document={route.name} annotator={annotator} />;
  if (tables.error || states.error) return <Note kind="bad">{tables.error ?? states.error}</Note>;
  if (!tables.value || !states.value) return <Note>Loading …</Note>;
  const of = (who: string, table: TableInfo) => states.value!.annotators.find((one) => one.annotator === who && one.document === table.document);
  const sources = new Map((pages.value?.documents ?? []).map((one) => [one.id, short(one.source)]));
  const done = tables.value.tables.filter((one) => of(annotator, one)?.finished.includes(one.id)).length;
  return (
    <div className="find">
      <h1>Label documents</h1>
      <p className="dim">Label each table: genuine or not, orientation, roles of rows and cells, header trees, range; and the parts of saved pages. Every annotator works alone. The library is not changed.</p>
      <form className="row-of" onSubmit={(event) => { event.preventDefault(); keep(text.trim()); go(address("annotate", "", { annotator: text.trim(), other })); }}>
        <label>Annotator <input value={text} maxLength={60} onChange={(event) => setText(event.target.value)} required /></label>
        <button type="submit">Use this name</button>
        <label>Compare with <select value={other} onChange={(event) => go(address("annotate", "", { annotator, other: event.target.value }))}><option value="">nobody</option>{known.filter((one) => one !== annotator).map((one) => <option key={one}>{one}</option>)}</select></label>
        {done > 0 && <a className="button" href={`/annotations/export?${query({ annotator })}`} download={`${annotator}.jsonl`}>Export {done} finished</a>}
      </form>
      {!annotator ? <Note>Enter your name first.</Note> : (
        <table className="list">
          <caption>{done} of {tables.value.tables.length} tables finished by {annotator}</caption>
          <thead><tr><th scope="col">Table</th><th scope="col">Confidence</th><th scope="col">Finished</th>{other && <><th scope="col">Genuine</th><th scope="col" className="number">Roles</th><th scope="col" className="number">Kappa</th><th scope="col" className="number">Left</th><th scope="col" className="number">Top</th></>}</tr></thead>
          <tbody>{tables.value.tables.map((one) => (
            <tr key={one.id}>
              <td>{session.write ? <a className="clamp" href={address("table", one.name, { annotator })}>{one.title || one.name}</a> : one.title || one.name}<div className="dim">{sources.get(one.document)}{one.sheet ? ` · ${one.sheet}` : ""}{one.page ? ` · page ${one.page}` : ""}</div></td>
              <td><Sure share={one.confidence} /></td>
              <td>{of(annotator, one)?.finished.includes(one.id) ? "✓ done" : of(annotator, one) ? "begun" : ""}</td>
              {other && <Compared table={one} annotator={annotator} other={other} />}
            </tr>
          ))}</tbody>
        </table>
      )}
      {annotator && <Pages documents={(pages.value?.documents ?? []).filter((one) => one.medium === "html")} annotator={annotator} other={other} />}
    </div>
  );
}

/** The saved pages, whose parts can be said. */
function Pages({ documents, annotator, other }: { documents: DocumentInfo[]; annotator: string; other: string }) {
  if (!documents.length) return null;
  return (
    <section aria-label="Parts of pages">
      <div className="row-of"><h2>Parts of pages</h2><a className="button" href={`/annotations/parts?${query({ annotator })}`} download={`${annotator}-parts.jsonl`}>Export finished pages</a></div>
      <ul className="cards">{documents.map((one) => (
        <li key={one.id}><a href={address("annotate", one.id, { annotator })}>{short(one.source)}</a>{one.title && <span className="dim">{one.title}</span>}{other && <PartsCompared document={one.id} annotator={annotator} other={other} />}</li>
      ))}</ul>
    </section>
  );
}

function PartsCompared({ document, annotator, other }: { document: string; annotator: string; other: string }) {
  const { value } = useLoaded<{ same: number | null; kappa: number | null }>(`${document} ${annotator} ${other}`, () => ask(`/documents/${document}/parts/agreement?${query({ one: annotator, other })}`));
  return value && <span className="dim">{value.same === null ? "no part begins" : `${percent(value.same)} of the beginnings alike, kappa ${value.kappa?.toFixed(2) ?? "–"}`}</span>;
}

function Compared({ table, annotator, other }: { table: TableInfo; annotator: string; other: string }) {
  const { value, error } = useLoaded<Agreement>(`${table.id} ${annotator} ${other}`, () => ask(at(table.id, `agreement?${query({ one: annotator, other })}`)));
  const share = (one: number | null | undefined) => (one === null || one === undefined ? "–" : percent(one));
  if (error) return <td colSpan={5} className="dim">{error}</td>;
  if (!value) return <td colSpan={5} className="dim">…</td>;
  return <><td>{value.genuine ? "same" : "differ"}</td><td className="number">{share(value.same_role)}</td><td className="number">{value.kappa === null ? "–" : value.kappa.toFixed(2)}</td><td className="number">{share(value.left)}</td><td className="number">{share(value.top)}</td></>;
}
