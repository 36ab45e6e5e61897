// The cells that are looked at: fetched a tile at a time, kept, and asked anew when the reading has changed.
import { useMemo, useSyncExternalStore } from "react";
import { type Cell, type CellWindow, type Look, ask, at, query } from "../api";
import { type Area, holds } from "../places";

export const TILE_ROWS = 128;
export const TILE_COLUMNS = 32;
const FLASH = 1400; // milliseconds that a change is shown
const WIDEST = 16384; // columns of a sheet
const AHEAD = 64; // rows beyond what is seen that are fetched as well

export interface Drawn extends Cell { look: Look | undefined; changed: boolean }
interface Tile { version: number; cells: Map<number, Drawn>; asked: number }

const key = (row: number, column: number): number => row * WIDEST + column;
const tileKey = (row: number, column: number): number => key(Math.floor(row / TILE_ROWS), Math.floor(column / TILE_COLUMNS));

/** Whether a cell says and is the same as before: then it is not drawn again. */
function isSame(old: Drawn, cell: Cell, look: Look | undefined): boolean {
  return old.text === cell.text && old.role === cell.role && old.table === cell.table && old.look === look && old.lost === cell.lost && old.kind === cell.kind &&
    old.down === cell.down && old.across === cell.across && old.page === cell.page && String(old.box) === String(cell.box);
}

export class Cells {
  private tiles = new Map<number, Tile>();
  private looks = new Map<string, Look>();
  private stamps = new Map<number, number>();
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

  /** Grows whenever anything of a row is another than before. */
  stamp(row: number): number {
    return this.stamps.get(row) ?? 0;
  }

  at(row: number, column: number): Drawn | undefined {
    return this.tiles.get(tileKey(row, column))?.cells.get(key(row, column));
  }

  /** Every cell that is there. */
  *all(): Generator<Drawn> {
    for (const tile of this.tiles.values()) yield* tile.cells.values();
  }

  want(area: Area): void {
    this.seen = area;
    for (let row = Math.floor(Math.max(0, area.top - AHEAD) / TILE_ROWS); row <= Math.floor((area.bottom + AHEAD) / TILE_ROWS); row++)
      for (let column = Math.floor(area.left / TILE_COLUMNS); column <= Math.floor(area.right / TILE_COLUMNS); column++)
        void this.fetch(row, column);
  }

  private async fetch(row: number, column: number): Promise<void> {
    const name = key(row, column);
    const tile: Tile = this.tiles.get(name) ?? { version: -1, cells: new Map(), asked: -2 };
    if (tile.asked === this.version) return;
    const version = (tile.asked = this.version);
    this.tiles.set(name, tile);
    const top = row * TILE_ROWS;
    const left = column * TILE_COLUMNS;
    try {
      const got = await ask<CellWindow>(at(this.table, `cells?${query({ top, left, bottom: top + TILE_ROWS - 1, right: left + TILE_COLUMNS - 1, annotator: this.annotator })}`));
      if (version !== this.version) return;
      if (this.land(name, got, null)) this.tell();
      this.tiles.get(name)!.version = version;
    } catch {
      tile.asked = -2; // asked again when it is next looked at
    }
  }

  /** Takes cells that came with the answer to a stroke; the rest of their tiles is asked for as it is looked at. */
  put(got: CellWindow, area: Area): void {
    let changed = false;
    for (const name of [...this.tiles.keys()]) {
      const [row, column] = [Math.floor(name / WIDEST), name % WIDEST];
      if ((row + 1) * TILE_ROWS <= area.top || row * TILE_ROWS > area.bottom || (column + 1) * TILE_COLUMNS <= area.left || column * TILE_COLUMNS > area.right) continue;
      changed = this.land(name, got, area) || changed;
    }
    if (changed) this.tell();
  }

  /** Lays cells into their tile, all of it or an area; whether anything is another than before. */
  private land(name: number, got: CellWindow, area: Area | null): boolean {
    const tile = this.tiles.get(name)!;
    const looks = got.styles.map((look) => this.known(look));
    const fresh = new Map<number, Drawn>();
    const rows = new Set<number>();
    let flashing = false;
    for (const cell of got.cells as Drawn[]) {
      if (tileKey(cell.row, cell.column) !== name) continue;
      const place = key(cell.row, cell.column);
      const old = tile.cells.get(place);
      const look = looks[cell.style ?? 0];
      if (old && isSame(old, cell, look)) { fresh.set(place, old); continue; }
      cell.look = look;
      cell.changed = tile.version >= 0 && (!old || old.changed || old.role !== cell.role || old.table !== cell.table || old.text !== cell.text);
      flashing ||= cell.changed;
      fresh.set(place, cell);
      rows.add(cell.row);
    }
    for (const [place, old] of tile.cells) {
      if (fresh.has(place)) continue;
      if (area && !holds(area, old.row, old.column)) fresh.set(place, old);
      else rows.add(old.row);
    }
    this.tiles.set(name, { ...tile, cells: fresh });
    for (const row of rows) this.stamps.set(row, this.stamp(row) + 1);
    if (flashing) setTimeout(() => this.settle(name), FLASH);
    return rows.size > 0;
  }

  private known(look: Look): Look {
    const text = JSON.stringify(look);
    if (!this.looks.has(text)) this.looks.set(text, look);
    return this.looks.get(text)!;
  }

  private settle(name: number): void {
    const rows = new Set<number>();
    for (const cell of this.tiles.get(name)?.cells.values() ?? []) if (cell.changed) { cell.changed = false; rows.add(cell.row); }
    for (const row of rows) this.stamps.set(row, this.stamp(row) + 1);
    if (rows.size) this.tell();
  }

  private tell(): void {
    this.turn++;
    for (const told of this.listeners) told();
  }
}

/** The cells of a table in the version that is read now. */
export function useCells(table: string, annotator: string, version: number): Cells {
  const cells = useMemo(() => new Cells(table, annotator), [table, annotator]);
  if (cells.version !== version) cells.version = version;
  return cells;
}

/** Draws anew when any cell has changed. */
export const useTurn = (cells: Cells): number => useSyncExternalStore(cells.listen, cells.state);
