// Strokes: what a person says of a table, as the operations of the HTTP API, with undo, redo, look-alikes and conflicts.
import { useCallback, useState } from "react";
import { type Made, type Operation, type Proposal, type Reading, Refused, type Role, type RowRole, type Side, type Sight, type Standing, ask, at, query, send } from "../api";
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

/**
 * Strokes on one table, for all or as the ground truth of one annotator. `changed` is told after each what there is now;
 * `sight` is what is looked at, which comes with the answer.
 */
export function useStrokes(reading: Reading, author: string, annotator: string, changed: (made: Made) => Promise<void>, sight: () => Sight | undefined): Strokes {
  const [done, setDone] = useState<string[][]>([]);
  const [undone, setUndone] = useState<string[][]>([]);
  const [alike, setAlike] = useState<Alike | null>(null);
  const [said, setSaid] = useState<Strokes["said"]>(null);
  const [busy, setBusy] = useState(false);
  const own = annotator ? { annotator } : {};

  const attempt = useCallback(async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const conflict = error instanceof Refused && error.status === 409;
      setSaid({ text: conflict ? `Nothing was overwritten: ${message(error)}` : message(error), kind: conflict ? "conflict" : "bad", again: conflict });
    } finally {
      setBusy(false);
    }
  }, []);

  const make = (operations: Operation[]) => attempt(async () => {
    const made = await send<Made>(at(reading.id, "corrections"), { operations, author, ...own, seen: reading.version, sight: sight() });
    const ids = made.corrections.map((one) => one.id);
    setDone((before) => [...before, ids]);
    setUndone([]);
    setAlike(null);
    setSaid({ text: made.corrections.map((one) => one.words).join("; "), kind: "good" });
    await changed(made);
    const last = ids.at(-1);
    if (!last || !made.tables.includes(reading.id)) return;
    const found = await ask<{ proposals: Proposal[]; sheets: number }>(at(reading.id, `alike?${query({ correction: last, annotator })}`)).catch(() => null);
    if (found?.proposals.length) setAlike({ correction: last, ...found });
  });

  const takeBack = (ids: string[]) => attempt(async () => {
    const made = await send<Made>(`/documents/${reading.document}/undo`, { corrections: ids, author, ...own, sight: sight() });
    setUndone((before) => [...before, made.corrections.map((one) => one.id)]);
    setAlike(null);
    setSaid({ text: ids.length > 1 ? `Took back ${ids.length} corrections` : "Took back the last correction", kind: "good" });
    await changed(made);
  });

  const undo = async () => {
    const group = done.at(-1) ?? (await lastGroup(reading, author, annotator));
    if (!group) return setSaid({ text: "There is nothing of yours to undo here.", kind: "bad" });
    setDone((before) => before.slice(0, -1));
    await takeBack(group);
  };

  const redo = () => attempt(async () => {
    const group = undone.at(-1);
    if (!group) return;
    const made = await send<Made>(`/documents/${reading.document}/undo`, { corrections: group, author, ...own, sight: sight() });
    setUndone((before) => before.slice(0, -1));
    setDone((before) => [...before, made.corrections.map((one) => one.id)]);
    setSaid({ text: "Done again", kind: "good" });
    await changed(made);
  });

  const accept = (without: number[]) => attempt(async () => {
    if (!alike) return;
    const made = await send<Made>(at(reading.id, "alike"), { correction: alike.correction, without, author, ...own, sight: sight() });
    setDone((before) => [...before, made.corrections.map((one) => one.id)]);
    setAlike(null);
    setSaid({ text: `Corrected ${made.corrections.length} more in the same way`, kind: "good" });
    await changed(made);
  });
  return { make, undo, redo, takeBack, accept, leave: () => setAlike(null), alike, said, quiet: () => setSaid(null), busy, canRedo: undone.length > 0 };
}

/** What this author said last, by the history: for undo after the page was opened anew. */
async function lastGroup(reading: Reading, author: string, annotator: string): Promise<string[] | null> {
  const { corrections } = await ask<{ corrections: Standing[] }>(`/documents/${reading.document}/corrections?${query({ annotator })}`);
  const mine = corrections.filter((one) => one.state === "in force" && one.operation.do !== "undo" && (one.author ?? "") === author);
  const last = mine.at(-1);
  if (!last) return null;
  return last.like ? mine.filter((one) => one.like === last.like).map((one) => one.id) : [last.id];
}
