// What the server answers, and how it is asked. Every client may call the same addresses: see /openapi.json.

export interface Session { write: boolean; author: string | null }
export interface DocumentInfo { id: string; source: string; medium: string; title: string | null; added: string; tables: number; tuples: number }
export interface TableInfo {
  id: string; document: string; name: string; sheet: string | null; page: number | null; title: string | null; caption: string | null;
  orientation: string; rows: number; columns: number; tuples: number; genuine: number; confidence: number;
}
export interface Place { page?: number; sheet?: string; range?: string; box?: number[]; path?: string; table_index?: number }
export interface Hit {
  table: string; document: string; source: string; place: Place; score: number; title: string | null; name: string; medium: string;
  highlights: Record<string, string[]>; rows: number; columns: number; tuples: number; confidence: number; preview: string[][] | null;
}
export interface Found { total: number; hits: Hit[]; facets: Record<string, Record<string, number>>; next: string | null }
export type Role = "title" | "header" | "stub" | "group" | "value" | "derived" | "note" | "other";
export type RowRole = "title" | "header" | "data" | "group" | "derived" | "note" | "blank";
export type Side = "left" | "top";
export interface HeaderNode { id: number; text: string; parent: number | null; cells: [number, number][]; probability: number }
export interface Sibling {
  id: string; name: string; title: string | null; sheet: string | null; page: number | null; confidence: number; tuples: number;
  frame: [number, number, number, number] | null; place: Place;
}
export interface Issue { stage: string; note: string; place: Place | null }
export interface SheetInfo {
  name: string | null; rows: number; columns: number; widths: Record<string, number>; hidden_rows: number[]; hidden_columns: number[];
}
export interface Reading {
  id: string; name: string; document: string; source: string; document_title: string | null; medium: "spreadsheet" | "html" | "pdf";
  title: string | null; place: Place; orientation: string; genuine: number; confidence: number; frame: [number, number, number, number];
  rows: number; columns: number; header_rows: number[]; stub_columns: number[]; row_roles: [number, number, RowRole][];
  top: HeaderNode[]; left: HeaderNode[]; nodes: [number, number]; row_nodes?: number[][]; column_nodes?: number[][]; tuples: number; issues: Issue[];
  rejected: { place: Place; genuine: number; kind: string }[]; metadata: Record<string, Record<string, unknown>>;
  sheet: SheetInfo | null; pages: { number: number; width: number; height: number }[]; version: number; tables: Sibling[];
}
export interface Look {
  bold: boolean; italic: boolean; underline: boolean; size: number; colour: string | null; fill: string | null; align: string | null; indent: number;
  border_top: boolean; border_bottom: boolean; border_left: boolean; border_right: boolean; wrap: boolean;
}
export interface Cell {
  row: number; column: number; text: string; style?: number; role?: Role; table?: string; kind?: string; down?: number; across?: number;
  page?: number; box?: [number, number, number, number]; lost?: boolean;
}
export interface CellWindow { rows: number; columns: number; styles: Look[]; cells: Cell[] }
export interface Value {
  row: number; column: number; address: string; text: string; value: number | string | null; unit: string | null; top: string[]; left: string[];
  notes: string[]; confidence: number; low?: number | null; high?: number | null; error?: number | null; bound?: string | null; top_cells: [number, number][]; left_cells: [number, number][];
}
export interface HeaderFacts { side: Side; id: number; path: string[]; rows: [number, number][]; columns: [number, number][]; values: number; probability: number }
export interface CellFacts { row: number; column: number; address: string; text: string; role: Role | null; tuple: Value | null; header: HeaderFacts | null }
export interface Standing {
  id: string; words: string; operation: { do: string } & Record<string, unknown>; place: Place; author: string | null; made: string;
  like: string | null; state: string; note: string | null;
}
export interface Made { version: number; corrections: Standing[]; tables: string[]; reading?: Reading; cells?: CellWindow }
export interface Early { version: number; reading: Reading; cells: CellWindow }
export interface Sight { table: string; top: number; left: number; bottom: number; right: number }
export interface Proposal { place: Place; operation: Record<string, unknown>; words: string }
export interface Spot { row?: number; column?: number }
export type Operation = { do: string } & Record<string, unknown>;
export interface Rows { columns: string[]; rows: unknown[][]; more: boolean }
export interface Partner {
  table: string; name: string; title: string | null; source: string; score: number; way: string; sql: string; on: [string, string][]; weak: boolean;
  rows: number; matched: number; unmatched: number; repeats: boolean;
}

export interface AnnotatorState { document: string; annotator: string; strokes: number; finished: string[] }
export interface Agreement { genuine: boolean; orientation: boolean | null; cells: number; same_role: number | null; kappa: number | null; left: number | null; top: number | null }
export interface Concept { id: string; label: string; labels: string[]; parent: string | null; support: number; sites: string[]; urls: string[] }
export interface MinedSite { name: string; concepts: Concept[]; sites: { site: string; pages: number }[]; issues: Issue[]; instances: number; counts: Record<string, number> }
export interface Instance { id: string; concept: string | null; source: string; attributes: { label: string[]; value: string; path: string }[] }

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The server's answer as it comes; a refusal is an error that says why. */
export async function askFor(address: string, init?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...init });
  } catch {
    throw new Refused(0, "The server does not answer. Is tabellion still running?");
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);
  throw new Refused(answer.status, (said as { detail?: string } | null)?.detail ?? `${answer.status} ${answer.statusText}`);
}

export async function ask<T>(address: string, init?: RequestInit): Promise<T> {
  const answer = await askFor(address, init);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export function send<T>(address: string, body: unknown, method = "POST"): Promise<T> {
  return ask<T>(address, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/**
 * The same for a stroke: `drawn` is told what the table looks like as soon as it is read again; the answer comes when it
 * is kept. What is refused after it was drawn is an error too.
 */
export async function sendStroke(address: string, body: unknown, drawn: (early: Early) => void): Promise<Made> {
  const answer = await askFor(address, { method: "POST", headers: { "content-type": "application/json", accept: "text/event-stream" }, body: JSON.stringify(body) });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) throw new Refused(0, "The server broke off. Open the table again to see what it kept.");
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, name, said] = /^event: (\w+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name === "drawn") drawn(JSON.parse(said!) as Early);
      else if (name === "made") return JSON.parse(said!) as Made;
      else if (name === "refused") { const { status, detail } = JSON.parse(said!) as { status: number; detail: string }; throw new Refused(status, detail); }
    }
  }
}

export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
}

export const at = (table: string, rest: string): string => `/tables/${encodeURIComponent(table)}/${rest}`;
