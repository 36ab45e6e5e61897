// What stands beside the source: tidy rows, the table as laid out, metadata, doubts, history.
import { useState } from "react";
import { type Reading, type Rows, type Standing, type Value, ask, at, query, send } from "../api";
import { Note } from "../parts";
import { address } from "../route";
import { useLoaded } from "../use";

const PAGE = 200;

export function Tidy({ reading, choose }: { reading: Reading; choose: (cell: [number, number]) => void }) {
  const [shown, setShown] = useState(PAGE);
  const { value, error } = useLoaded<{ total: number; tuples: Value[] }>(`${reading.id} ${reading.version} ${shown}`, () => ask(at(reading.id, `tuples?${query({ limit: Math.min(shown, 1000) })}`)));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Tidy rows">
      <table className="list tight">
        <caption>{value.total.toLocaleString("en")} values, one row each</caption>
        <thead><tr><th scope="col">Cell</th><th scope="col">Row headers</th><th scope="col">Column headers</th><th scope="col" className="number">Value</th><th scope="col">Unit</th></tr></thead>
        <tbody>{value.tuples.map((one) => (
          <tr key={`${one.row},${one.column}`}>
            <td><button type="button" className="link" onClick={() => choose([one.row, one.column])}>{one.address}</button></td>
            <td><Path labels={one.left} /></td><td><Path labels={one.top} /></td><td className="number">{one.text}</td><td>{one.unit}</td>
          </tr>
        ))}</tbody>
      </table>
      {value.tuples.length < value.total && shown < 1000 && <button type="button" onClick={() => setShown(shown + PAGE)}>More</button>}
    </div>
  );
}

export const Path = ({ labels }: { labels: string[] }) => <>{labels.map((label, number) => <span key={number}>{number > 0 && <span className="dim"> › </span>}{label}</span>)}</>;

export function Pivot({ reading }: { reading: Reading }) {
  const sql = `select * from "${reading.name.replaceAll('"', '""')}"`;
  const { value, error } = useLoaded<Rows>(`${reading.id} ${reading.version}`, () => send("/query", { sql, limit: 500 }));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="The table as a relation">
      <p><a href={address("ask", "", { sql })}>Query this table in SQL</a></p>
      <ResultTable rows={value} />
    </div>
  );
}

export function ResultTable({ rows }: { rows: Rows }) {
  return (
    <table className="list tight">
      <thead><tr>{rows.columns.map((one, number) => <th key={number} scope="col" className={rows.rows.some((row) => typeof row[number] === "number") ? "number" : ""}>{one}</th>)}</tr></thead>
      <tbody>{rows.rows.map((row, number) => <tr key={number}>{row.map((one, place) => <td key={place} className={typeof one === "number" ? "number" : ""}>{one === null ? <span className="dim">∅</span> : typeof one === "object" ? JSON.stringify(one) : String(one)}</td>)}</tr>)}</tbody>
    </table>
  );
}

export function Metadata({ reading }: { reading: Reading }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Metadata">
      {Object.entries(reading.metadata).map(([category, facts]) => (
        <section key={category} className="facts">
          <h2>{category}</h2>
          <dl>{Object.entries(facts).map(([name, fact]) => {
            const empty = fact === null || (Array.isArray(fact) && !fact.length);
            return !empty && <div key={name}><dt>{name.replaceAll("_", " ")}</dt><dd>{Array.isArray(fact) ? fact.map(plain).join(", ") : plain(fact)}</dd></div>;
          })}</dl>
        </section>
      ))}
    </div>
  );
}

const plain = (fact: unknown): string => (typeof fact === "number" ? String(Math.round(fact * 100) / 100) : typeof fact === "object" ? JSON.stringify(fact) : String(fact));

export function Doubts({ reading }: { reading: Reading }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Uncertain">
      <h2>Issues</h2>
      {reading.issues.length ? <ul className="issues">{reading.issues.map((issue, number) => <li key={number}><b>{issue.stage}</b> {issue.note} <span className="dim">{issue.place?.sheet} {issue.place?.range}</span></li>)}</ul> : <p className="dim">None.</p>}
      <h2>Rejected candidates</h2>
      {reading.rejected.length ? <ul className="issues">{reading.rejected.map((one, number) => <li key={number}>{one.kind} <span className="dim">{one.place.sheet} {one.place.range ?? one.place.path} · {Math.round(one.genuine * 100)} % a table</span></li>)}</ul> : <p className="dim">Nothing.</p>}
    </div>
  );
}

/** What a correction says; of an undoing, what it took back or brought back. */
export function inWords(one: Standing, all: Standing[]): string {
  const undone = one.operation.do === "undo" ? all.find((other) => other.id === one.operation.correction) : undefined;
  if (!undone) return one.words;
  const first = undone.operation.do === "undo" ? all.find((other) => other.id === undone.operation.correction) : undefined;
  return first ? `Brought back: ${inWords(first, all)}` : `Took back: ${undone.words}`;
}

/** Where a correction stands, with the names of people in place of the numbers of corrections. */
export function standsAs({ state, note, operation }: Standing, all: Standing[]): string {
  if (operation.do === "undo" && state === "in force") return "";
  return `${state} ${note ?? ""}`.trim().replace(/\b[0-9a-f]{12}\b(?: by (?=\S))?/g, (found) => (found.length > 12 ? "" : all.find((one) => one.id === found)?.author ?? "somebody"));
}

export function History({ reading, annotator, undo }: { reading: Reading; annotator: string; undo: ((one: Standing) => void) | null }) {
  const { value, error } = useLoaded<{ corrections: Standing[] }>(`${reading.document} ${reading.version}`, () => ask(`/documents/${reading.document}/corrections?${query({ annotator })}`));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  if (!value.corrections.length) return <Note>Nobody has corrected this document yet.</Note>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="History">
      <ol className="history">{[...value.corrections].reverse().map((one) => (
        <li key={one.id} className={one.state === "in force" ? "" : "dim"}>
          <span>{inWords(one, value.corrections)}</span>
          <small>{[one.author ?? "somebody", one.made.replace("T", " ").slice(0, 16), standsAs(one, value.corrections)].filter(Boolean).join(" · ")}</small>
          {undo && one.state !== "undone" && <button type="button" className="quiet" onClick={() => undo(one)}>{one.operation.do === "undo" ? "Redo" : "Take back"}</button>}
        </li>
      ))}</ol>
    </div>
  );
}
