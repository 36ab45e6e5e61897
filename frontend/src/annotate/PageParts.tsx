// Where the parts of a saved page begin: its texts in turn, each a switch that says that a part begins with it.
import { useEffect, useState } from "react";
import { type Session, ask, query, send } from "../api";
import { Note } from "../parts";
import { address } from "../route";
import { message } from "../use";

interface Parts { leaves: string[]; starts: number[]; said: boolean; done: boolean }

/** The leaves part by part: the number of the first, and the texts. */
export function inParts(leaves: string[], starts: Iterable<number>): { first: number; texts: string[] }[] {
  const begins = [0, ...[...starts].sort((a, b) => a - b)];
  return begins.map((first, number) => ({ first, texts: leaves.slice(first, begins[number + 1] ?? leaves.length) }));
}

export function PageParts({ session, document, annotator }: { session: Session; document: string; annotator: string }) {
  const [parts, setParts] = useState<Parts | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    ask<Parts>(`/documents/${document}/parts?${query({ annotator })}`).then((got) => current && setParts(got), (failed) => current && setError(message(failed)));
    return () => { current = false; };
  }, [document, annotator]);
  if (error) return <Note kind="bad">{error}</Note>;
  if (!parts) return <Note>Loading …</Note>;
  const say = (starts: number[], done: boolean) => {
    setParts({ ...parts, starts, done });
    send<Parts>(`/documents/${document}/parts`, { annotator, starts, done }).then(setParts, (failed) => setError(message(failed)));
  };
  const turn = (leaf: number) => say(parts.starts.includes(leaf) ? parts.starts.filter((one) => one !== leaf) : [...parts.starts, leaf], false);
  return (
    <div className="find">
      <h1>Parts of a page</h1>
      <p className="dim">A part is a menu, a block of facts, an article or a footer, with its heading. Select a text to start or end a part there. <a href={`/documents/${document}/page`} target="_blank" rel="noreferrer noopener">The page itself</a> · <a href={address("annotate", "", { annotator })}>All tables and pages</a></p>
      <div className="row-of"><span>{parts.starts.length + 1} parts, {parts.leaves.length.toLocaleString("en")} texts, {parts.said ? `as ${annotator} says` : "as they were found"}</span>
        {session.write && <label><input type="checkbox" checked={parts.done} onChange={() => say(parts.starts, !parts.done)} /> I am done with this page</label>}</div>
      <ol className="page-parts">{inParts(parts.leaves, parts.starts).map(({ first, texts }) => (
        <li key={first}>{texts.map((text, number) => (
          <button key={number} type="button" disabled={!session.write || first + number === 0} aria-pressed={number === 0} onClick={() => turn(first + number)}>{text}</button>
        ))}</li>
      ))}</ol>
    </div>
  );
}
