// What lights up when a cell is chosen: the headers of a value, the values of a header. All paths are known here.
import type { CellFacts, HeaderNode, Reading, Side } from "../api";

export interface Lit { cells: Set<string>; header: { rows: [number, number][]; columns: [number, number][] } | null }
export const DARK: Lit = { cells: new Set(), header: null };

/** The header trees of a reading, to be asked by cell. */
export class Paths {
  /** The header that a cell is. */
  readonly at = new Map<string, { side: Side; id: number }>();
  private byId: Record<Side, Map<number, HeaderNode>>;
  private lines: Record<Side, Map<number, number[]>>;

  constructor(reading: Reading) {
    const lines = (given: number[][] | undefined) => new Map((given ?? []).map(([line, ...ids]) => [line!, ids]));
    this.lines = { left: lines(reading.row_nodes), top: lines(reading.column_nodes) };
    this.byId = { left: new Map(reading.left.map((node) => [node.id, node])), top: new Map(reading.top.map((node) => [node.id, node])) };
    for (const side of ["left", "top"] as const) for (const node of reading[side]) for (const [row, column] of node.cells) this.at.set(`${row},${column}`, { side, id: node.id });
  }

  /** What a cell lights up, as far as it can be told here. */
  light(row: number, column: number, role: string | undefined): Lit {
    const header = this.at.get(`${row},${column}`);
    if (header) return { cells: DARK.cells, header: this.valuesOf(header.side, header.id) };
    if (role !== "value" && role !== "derived") return DARK;
    const cells = new Set<string>();
    for (const [side, line] of [["left", row], ["top", column]] as const)
      for (const id of this.lines[side].get(line) ?? [])
        for (let node = this.byId[side].get(id); node; node = node.parent === null ? undefined : this.byId[side].get(node.parent)) cells.add(String(node.cells[0]));
    return { cells, header: null };
  }

  private valuesOf(side: Side, id: number): Lit["header"] {
    const stands = new Map<number, boolean>([[id, true]]);
    const isUnder = (one: number): boolean => {
      const known = stands.get(one);
      if (known !== undefined) return known;
      const parent = this.byId[side].get(one)?.parent ?? null;
      const under = parent !== null && isUnder(parent);
      stands.set(one, under);
      return under;
    };
    const mine = runsOf([...this.lines[side]].filter(([, ids]) => ids.some(isUnder)).map(([line]) => line));
    const all = runsOf([...this.lines[side === "left" ? "top" : "left"].keys()]);
    return side === "left" ? { rows: mine, columns: all } : { rows: all, columns: mine };
  }
}

/** Numbers as runs, both ends included. */
export function runsOf(numbers: number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

/** What the server says lights up; the same object as what was lit already where that says the same. */
export function litBy(facts: CellFacts, before: Lit): Lit {
  const cells = facts.tuple ? [...facts.tuple.left_cells, ...facts.tuple.top_cells].map(String) : [];
  const same = cells.length === before.cells.size && cells.every((one) => before.cells.has(one)) && JSON.stringify(before.header) === JSON.stringify(facts.header && { rows: facts.header.rows, columns: facts.header.columns });
  return same ? before : { cells: new Set(cells), header: facts.header };
}
