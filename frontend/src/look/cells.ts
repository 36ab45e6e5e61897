// The cells that are looked at: fetched a tile at a time, kept, and asked anew when the reading has changed.
import { useMemo, useSyncExternalStore } from "react";
import { type Cell, type CellWindow, type Look, ask, at, query } from "../api";
import { type Area, holds } from "../places";

export const TILE_ROWS = 128;
export const TILE_COLUMNS = 32;
const FLASH = 1400; // milliseconds that a change is shown

export interface Drawn extends Cell { look: Look | undefined; changed: boolean }
interface Tile { version: number; cells: Map<number, Drawn>; asked: number }

const key = (row: number, column: number): number => row * 16384 + column;

function drawn(cell: Cell, got: CellWindow, tile: Tile): Drawn {
  const old = tile.cells.get(key(cell.row, cell.column));
  const changed = tile.version >= 0 && (old?.changed || old?.role !== cell.role || old?.table !== cell.table || old?.text !== cell.text);
  return { ...cell, look: got.styles[cell.style ?? 0], changed };
}

export class Cells {
  private tiles = new Map<string, Tile>();
  private listeners = new Set<() => void>();
  private turn = 0;
  version = -1;
  /** What was last looked at. */
  seen: Area | null = null;

  constructor(private table: string, private annotator: string) {}

  listen = (told: () => void): (() => void) => {
    this.listeners.add(told);
    return () => this.listeners.delete(told);
  };
  state = (): number => this.turn;

  at(row: number, column: number): Drawn | undefined {
    return this.tiles.get(`${Math.floor(row / TILE_ROWS)},${Math.floor(column / TILE_COLUMNS)}`)?.cells.get(key(row, column));
  }

  /** Every cell that is there. */
  *all(): Generator<Drawn> {
    for (const tile of this.tiles.values()) yield* tile.cells.values();
  }

  want(area: Area): void {
    this.seen = area;
    for (let row = Math.floor(area.top / TILE_ROWS); row <= Math.floor(area.bottom / TILE_ROWS); row++)
      for (let column = Math.floor(area.left / TILE_COLUMNS); column <= Math.floor(area.right / TILE_COLUMNS); column++)
        void this.fetch(row, column);
  }

  private async fetch(row: number, column: number): Promise<void> {
    const name = `${row},${column}`;
    const before = this.tiles.get(name);
    if (before && before.asked === this.version) return;
    const tile: Tile = before ?? { version: -1, cells: new Map(), asked: -1 };
    const version = (tile.asked = this.version);
    this.tiles.set(name, tile);
    const top = row * TILE_ROWS;
    const left = column * TILE_COLUMNS;
    try {
      const got = await ask<CellWindow>(at(this.table, `cells?${query({ top, left, bottom: top + TILE_ROWS - 1, right: left + TILE_COLUMNS - 1, annotator: this.annotator })}`));
      if (version !== this.version) return;
      const fresh = new Map<number, Drawn>();
      for (const cell of got.cells) fresh.set(key(cell.row, cell.column), drawn(cell, got, tile));
      this.tiles.set(name, { version, cells: fresh, asked: version });
      if (tile.version >= 0) setTimeout(() => this.settle(name), FLASH);
      this.tell();
    } catch {
      tile.asked = -1; // asked again when it is next looked at
    }
  }

  /** Takes cells that came with the answer to a stroke; the rest of their tiles is asked for as it is looked at. */
  put(got: CellWindow, area: Area): void {
    const touched = new Set<string>();
    for (const [name, tile] of this.tiles) {
      const [row, column] = name.split(",").map(Number) as [number, number];
      if ((row + 1) * TILE_ROWS <= area.top || row * TILE_ROWS > area.bottom || (column + 1) * TILE_COLUMNS <= area.left || column * TILE_COLUMNS > area.right) continue;
      const kept = new Map([...tile.cells].filter(([, cell]) => !holds(area, cell.row, cell.column)));
      this.tiles.set(name, { ...tile, cells: kept });
      for (const cell of got.cells) if (Math.floor(cell.row / TILE_ROWS) === row && Math.floor(cell.column / TILE_COLUMNS) === column) kept.set(key(cell.row, cell.column), drawn(cell, got, tile));
      touched.add(name);
    }
    for (const name of touched) setTimeout(() => this.settle(name), FLASH);
    this.tell();
  }

  private settle(name: string): void {
    for (const cell of this.tiles.get(name)?.cells.values() ?? []) cell.changed = false;
    this.tell();
  }

  private tell(): void {
    this.turn++;
    for (const told of this.listeners) told();
  }
}

/** The cells of a table in the version that is read now. */
export function useCells(table: string, annotator: string, version: number): [Cells, number] {
  const cells = useMemo(() => new Cells(table, annotator), [table, annotator]);
  const turn = useSyncExternalStore(cells.listen, cells.state);
  if (cells.version !== version) cells.version = version;
  return [cells, turn];
}
