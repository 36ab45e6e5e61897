// A row of the grid. It is given plain values alone, so that it is drawn again only where one of them has changed.
import { type CSSProperties, memo } from "react";
import type { Cells, Drawn } from "./cells";

export const ROW = 24; // pixels
export const GUTTER = 56;
const LETTER = 8; // pixels of a letter, at most, but for those of wide scripts
const WIDE = 13.5;

export interface RowProps {
  row: number; cells: Cells; edges: number[]; from: number; to: number; looks: "roles" | "source"; role: string; table: string;
  /** How often the row's cells have changed. */
  stamp: number;
  /** The columns that are lit, those that are chosen (both as runs: `1-3,7-7`), and the one at the cursor. */
  lit: string; on: string; current: number;
  /** Columns of headers that can be dragged. */
  movable: string;
}

export const Row = memo(function Row({ row, cells, edges, from, to, looks, role, table, lit, on, current, movable }: RowProps) {
  const drawn = [];
  const [isLit, isOn, isMovable] = [holder(lit), holder(on), holder(movable)];
  let x = GUTTER;
  for (let column = from; column <= to; column++) {
    const cell = cells.at(row, column);
    const chosen = isOn(column);
    if (!cell && !chosen && column !== current) continue;
    const width = (edges[column + (cell?.across ?? 1)] ?? edges.at(-1)!) - edges[column]!;
    const number = isNumber(cell);
    const reach = cell && !cell.across && !number && !cell.look?.wrap && cell.text.length > 6 ? reached(cells, row, column, to, edges) : 0;
    let classes = "cell";
    if (cell?.role && looks === "roles") classes += ` role-${cell.role}`;
    if (cell?.table && cell.table !== table) classes += " other-table";
    if (isLit(column)) classes += " lit";
    if (chosen) classes += " on";
    if (column === current) classes += " current";
    if (cell?.lost) classes += " lost";
    if (cell?.changed) classes += " flash";
    if (number) classes += " number";
    if (cell?.down) classes += " tall";
    if (cell && !reach && isLong(cell, width)) classes += " long";
    drawn.push(
      <div key={column} id={`cell-${row}-${column}`} role="gridcell" aria-colindex={column + 2} aria-selected={chosen} className={classes} style={styleOf(cell, edges[column]! - x, width, looks)} draggable={isMovable(column) || undefined}>
        {reach ? <span className="text" style={{ width: reach - 8 }}>{cell!.text}</span> : cell?.text}
      </div>,
    );
    x = edges[column]! + width;
  }
  return (
    <div role="row" aria-rowindex={row + 2} className="row" style={{ transform: `translateY(${(row + 1) * ROW}px)` }}>
      <div role="rowheader" aria-colindex={1} data-row={row} className={on ? "on" : ""} title={role}>{row + 1}<i className={`role-${role === "data" ? "value" : role}`} /></div>
      {drawn}
    </div>
  );
});

export const isNumber = (cell: Drawn | undefined): boolean => cell?.look?.align ? cell.look.align === "right" : cell?.kind === "number" || cell?.kind === "date";

/** Which of the columns lie in runs that are given as text. */
export function holder(text: string): (column: number) => boolean {
  if (!text) return () => false;
  const runs = text.split(",").map((run) => run.split("-").map(Number));
  return (column) => runs.some(([first, last]) => column >= first! && column <= last!);
}

/** Whether a text may be wider than its cell: only then it is cut off, which costs more to draw. */
function isLong({ text, look }: Drawn, width: number): boolean {
  let room = width - 10 - (look?.indent ?? 0) * 9;
  if (text.length * WIDE <= room) return false;
  for (const letter of text) room -= letter < "\u2e80" ? LETTER : WIDE;
  return room < 0;
}

/** How far a text may run on, in pixels: up to the next cell that says something; 0 where that is its own cell alone. */
function reached(cells: Cells, row: number, column: number, last: number, edges: number[]): number {
  let next = column + 1;
  while (next <= last && next < column + 12 && !cells.at(row, next)?.text) next++;
  return next > column + 1 ? (edges[next] ?? edges.at(-1)!) - edges[column]! : 0;
}

function styleOf(cell: Drawn | undefined, gap: number, width: number, looks: string): CSSProperties {
  const style: CSSProperties = { width };
  if (gap) style.marginLeft = gap;
  if (cell?.down) style.height = cell.down * ROW;
  const look = cell?.look;
  if (!look) return style;
  if (look.bold) style.fontWeight = 600;
  if (look.italic) style.fontStyle = "italic";
  if (look.underline) style.textDecoration = "underline";
  if (look.align === "center") style.textAlign = "center";
  if (look.indent) style.paddingLeft = 4 + look.indent * 9;
  if (looks === "source") {
    if (look.fill) style.background = colour(look.fill);
    if (look.colour) style.color = colour(look.colour);
    if (look.size > 12) style.fontSize = Math.min(18, look.size + 2);
    if (look.border_bottom) style.borderBottomColor = "currentColor";
    if (look.border_top) style.boxShadow = "0 -1px 0 currentColor";
  }
  return style;
}

const colour = (said: string): string => (/^[0-9a-fA-F]{6,8}$/.test(said) ? `#${said.slice(-6)}` : /^#[0-9a-fA-F]{3,8}$/.test(said) ? said : "");
