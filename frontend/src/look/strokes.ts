// Strokes: what a person says of a table, as the operations of the HTTP API, with undo, redo, look-alikes and conflicts.
import { useRef, useState } from "react";
import { type Early, type Made, type Operation, type Proposal, type Reading, Refused, type Role, type RowRole, type Side, type Sight, type Standing, ask, at, query, sendStroke } from "../api";
import type { Area } from "../places";
import { message } from "../use";

const tableArea = (reading: Reading): Area => ({ top: reading.frame[0], left: reading.frame[1], bottom: reading.frame[2], right: reading.frame[3] });
const lines = (from: number, to: number): number[] => Array.from({ length: Math.min(1000, to - from + 1) }, (_, number) => from + number);
const spot = (cell: [number, number] | null) => (cell ? { row: cell[0], column: cell[1] } : null);

export const say = {
  moveHeader: (side: Side, from: [number, number], to: [number, number] | null): Operation[] => [{ do: "move-header", side, header: spot(from), to: spot(to) }],
  rowRole: (area: Area, role: RowRole): Operation[] => lines(area.top, area.bottom).map((row) => ({ do: "row-role", row: { row }, to: role })),
  columnRole: (reading: Reading, area: Area, role: "stub" | "value"): Operation[] => lines(area.left, area.right).map((column) => ({ do: "column-role", table: tableArea(reading), column: { column }, to: role })),
  cellRole: (area: Area, role: Role): Operation[] => lines(area.top, area.bottom).flatMap((row) => lines(area.left, area.right).map((column) => ({ do: "cell-role", cell: { row, column }, to: role }))),
  edge: (reading: Reading, side: "top" | "bottom" | "left" | "right", line: number): Operation[] => [{ do: "edge", table: tableArea(reading), side, to: side === "top" || side === "bottom" ? { row: line } : { column: line } }],
  cut: (axis: "row" | "column", line: number, apart: boolean): Operation[] => [{ do: "cut", at: { [axis]: line }, to: apart }],
  joinLines: (axis: "row" | "column", from: number, to: number): Operation[] => [{ do: "join-lines", first: { [axis]: from }, last: { [axis]: to }, to: true }],
  partLine: (axis: "row" | "column", line: number): Operation[] => [{ do: "part-line", line: { [axis]: line }, to: true }],
  joinCells: (area: Area, one: boolean): Operation[] => [{ do: "join-cells", area, to: one }],
  orient: (reading: Reading, orientation: string): Operation[] => [{ do: "orientation", table: tableArea(reading), to: orientation }],
  table: (area: Area, genuine: boolean): Operation[] => [{ do: "table", table: area, to: genuine }],
  noTable: (reading: Reading): Operation[] => [{ do: "table", table: tableArea(reading), to: false }],
  text: (reading: Reading, what: string, text: string | null, area: Area | null): Operation[] => [{ do: "text", what, area: area ?? tableArea(reading), to: text }],
};

export interface Alike { correction: string; proposals: Proposal[]; sheets: number }
export interface Strokes {
  make: (operations: Operation[]) => Promise<void>; undo: () => Promise<void>; redo: () => Promise<void>; takeBack: (ids: string[]) => Promise<void>;
  accept: (without: number[]) => Promise<void>; leave: () => void; alike: Alike | null; said: { text: string; kind: string; again?: boolean } | null; quiet: () => void; busy: boolean; canRedo: boolean;
}

export interface Seen { drawn: (early: Early) => void; changed: (made: Made) => Promise<void>; failed: () => Promise<void>; sight: () => Sight | undefined }

/**
 * Strokes on one table, for all or as the ground truth of one annotator. `drawn` is told what there is as soon as it is
 * read again, `changed` when it is kept, `failed` when what was drawn is not so; `sight` is what is looked at.
 */
export function useStrokes(reading: Reading, author: string, annotator: string, { drawn, changed, failed, sight }: Seen): Strokes {
  const [alike, setAlike] = useState<Alike | null>(null);
  const [said, setSaid] = useState<Strokes["said"]>(null);
  const [waiting, setWaiting] = useState(0);
  const [canRedo, setCanRedo] = useState(false);
  const past = useRef<{ done: string[][]; undone: string[][]; version: number; last: Promise<void> }>({ done: [], undone: [], version: 0, last: Promise.resolve() }).current;
  past.version = Math.max(past.version, reading.version);
  const own = annotator ? { annotator } : {};

  /** One stroke after the other: what one has made is known before the next is. */
  const attempt = (work: (send: (address: string, body: Record<string, unknown>) => Promise<Made>) => Promise<void>) => {
    let drew = false;
    const send = async (address: string, body: Record<string, unknown>) => {
      setAlike(null);
      const made = await sendStroke(address, { ...body, author, ...own, sight: sight() }, (early) => { drew = true; drawn(early); });
      past.version = Math.max(past.version, made.version);
      return made;
    };
    setWaiting((count) => count + 1);
    past.last = past.last.then(() => work(send)).catch(async (error: unknown) => {
      if (drew) await failed();
      const conflict = error instanceof Refused && error.status === 409;
      setSaid({ text: conflict ? `Nothing was overwritten: ${message(error)}` : message(error), kind: conflict ? "conflict" : "bad", again: conflict });
    }).finally(() => { setCanRedo(past.undone.length > 0); setWaiting((count) => count - 1); });
    return past.last;
  };
  const idsOf = (made: Made) => made.corrections.map((one) => one.id);

  const make = (operations: Operation[]) => attempt(async (send) => {
    const made = await send(at(reading.id, "corrections"), { operations, seen: past.version });
    past.done.push(idsOf(made));
    past.undone = [];
    setSaid({ text: made.corrections.map((one) => one.words).join("; "), kind: "good" });
    await changed(made);
    if (made.tables.includes(reading.id)) void lookAlike(idsOf(made).at(-1));
  });

  /** Looked for once the table is drawn; offered unless another stroke was made meanwhile. */
  const lookAlike = async (correction: string | undefined) => {
    if (!correction) return;
    const found = await ask<{ proposals: Proposal[]; sheets: number }>(at(reading.id, `alike?${query({ correction, annotator })}`)).catch(() => null);
    if (found?.proposals.length && past.done.at(-1)?.at(-1) === correction) setAlike({ correction, ...found });
  };

  const takingBack = (ids: () => Promise<string[] | null>) => attempt(async (send) => {
    const group = await ids();
    if (!group) return setSaid({ text: "You have nothing to undo here.", kind: "bad" });
    const made = await send(`/documents/${reading.document}/undo`, { corrections: group });
    past.undone.push(idsOf(made));
    setSaid({ text: group.length > 1 ? `Undid ${group.length} corrections` : "Undid the last correction", kind: "good" });
    await changed(made);
  });
  const takeBack = (ids: string[]) => takingBack(async () => ids);
  const undo = () => takingBack(async () => past.done.pop() ?? lastGroup(reading, author, annotator));

  const redo = () => attempt(async (send) => {
    const group = past.undone.pop();
    if (!group) return;
    const made = await send(`/documents/${reading.document}/undo`, { corrections: group });
    past.done.push(idsOf(made));
    setSaid({ text: "Redone", kind: "good" });
    await changed(made);
  });

  const accept = (without: number[]) => attempt(async (send) => {
    if (!alike) return;
    const made = await send(at(reading.id, "alike"), { correction: alike.correction, without });
    past.done.push(idsOf(made));
    setSaid({ text: `Corrected ${made.corrections.length} more in the same way`, kind: "good" });
    await changed(made);
  });
  return { make, undo, redo, takeBack, accept, leave: () => setAlike(null), alike, said, quiet: () => setSaid(null), busy: waiting > 0, canRedo };
}

/** What this author said last, by the history: for undo after the page was opened anew. */
async function lastGroup(reading: Reading, author: string, annotator: string): Promise<string[] | null> {
  const { corrections } = await ask<{ corrections: Standing[] }>(`/documents/${reading.document}/corrections?${query({ annotator })}`);
  const mine = corrections.filter((one) => one.state === "in force" && one.operation.do !== "undo" && (one.author ?? "") === author);
  const last = mine.at(-1);
  if (!last) return null;
  return last.like ? mine.filter((one) => one.like === last.like).map((one) => one.id) : [last.id];
}
