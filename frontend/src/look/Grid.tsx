// A sheet as a grid of which only what is seen is drawn, with roles, frames of tables and what is lit laid over it.
import { type CSSProperties, type DragEvent, type KeyboardEvent, type PointerEvent, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { HeaderFacts, Reading, Sibling, Side } from "../api";
import { type Area, a1, holds, letters, within } from "../places";
import { type Cells, type Drawn } from "./cells";

const ROW = 24;
const GUTTER = 56;
const OVERSCAN = 8;

export interface Selection { anchor: [number, number]; focus: [number, number]; lines: "row" | "column" | null }
export interface Lit { cells: Set<string>; header: HeaderFacts | null }
export type MoveEdge = (side: "top" | "bottom" | "left" | "right", line: number) => void;
export interface GridProps {
  reading: Reading; cells: Cells; turn: number; rows: number; columns: number; widths: Record<string, number>; looks: "roles" | "source";
  selected: Selection | null; select: (next: Selection) => void; lit: Lit; siblings: Sibling[]; editable: boolean;
  moveHeader: (side: Side, from: [number, number], to: [number, number]) => void; moveEdge: MoveEdge; onKey: (event: KeyboardEvent) => void;
  headers: Map<string, { side: Side; id: number }>;
}

export const areaOfSelection = (selected: Selection, rows: number, columns: number): Area => ({
  top: selected.lines === "column" ? 0 : Math.min(selected.anchor[0], selected.focus[0]),
  bottom: selected.lines === "column" ? rows - 1 : Math.max(selected.anchor[0], selected.focus[0]),
  left: selected.lines === "row" ? 0 : Math.min(selected.anchor[1], selected.focus[1]),
  right: selected.lines === "row" ? columns - 1 : Math.max(selected.anchor[1], selected.focus[1]),
});

export function Grid(props: GridProps) {
  const { cells, rows, columns, selected, select, reading } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, left: 0, width: 900, height: 600 });
  const edges = useMemo(() => {
    const found = [GUTTER];
    for (let column = 0; column < columns; column++) found.push(found[column]! + pixels(props.widths[String(column)]));
    return found;
  }, [columns, props.widths]);
  const first = Math.max(0, Math.floor(seen.top / ROW) - OVERSCAN);
  const last = Math.min(rows - 1, Math.ceil((seen.top + seen.height) / ROW) + OVERSCAN);
  const [from, to] = useMemo(() => {
    const left = Math.max(0, lastBefore(edges, seen.left) - 2);
    return [left, Math.min(columns - 1, lastBefore(edges, seen.left + seen.width) + 2)];
  }, [edges, seen.left, seen.width, columns]);
  useEffect(() => cells.want({ top: first, left: from, bottom: last, right: to }), [cells, first, last, from, to, reading.version]);

  useLayoutEffect(() => {
    const here = scroller.current!;
    const look = () => setSeen({ top: here.scrollTop, left: here.scrollLeft, width: here.clientWidth, height: here.clientHeight });
    let waiting = 0;
    const soon = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; look(); }); };
    look();
    here.addEventListener("scroll", soon, { passive: true });
    const watcher = new ResizeObserver(soon);
    watcher.observe(here);
    return () => { here.removeEventListener("scroll", soon); watcher.disconnect(); cancelAnimationFrame(waiting); };
  }, []);
  const focusRow = selected?.focus[0];
  const focusColumn = selected?.focus[1];
  useEffect(() => {
    if (focusRow === undefined || focusColumn === undefined || !scroller.current) return;
    const here = scroller.current;
    const y = focusRow * ROW;
    const [x, right] = [edges[focusColumn] ?? 0, edges[focusColumn + 1] ?? 0];
    if (y < here.scrollTop) here.scrollTop = y;
    else if (y + 2 * ROW > here.scrollTop + here.clientHeight) here.scrollTop = y + 2 * ROW - here.clientHeight;
    if (x - GUTTER < here.scrollLeft) here.scrollLeft = x - GUTTER;
    else if (right > here.scrollLeft + here.clientWidth) here.scrollLeft = Math.min(x - GUTTER, right - here.clientWidth);
  }, [focusRow, focusColumn, edges]);

  const area = selected ? areaOfSelection(selected, rows, columns) : null;
  const move = (down: number, across: number, extend: boolean) => {
    const [row, column] = selected?.focus ?? reading.frame;
    const next: [number, number] = [clamp(row! + down, rows), clamp(column! + across, columns)];
    select({ anchor: extend && selected ? selected.anchor : next, focus: next, lines: extend ? selected?.lines ?? null : null });
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(seen.height / ROW) - 2);
    const steps: Record<string, [number, number]> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0], Home: [0, -columns], End: [0, columns] };
    const step = steps[event.key];
    if (step && !event.altKey) {
      event.preventDefault();
      move(event.ctrlKey ? step[0] * rows : step[0], event.ctrlKey ? step[1] * columns : step[1], event.shiftKey);
    } else props.onKey(event);
  };
  const drawn = [];
  for (let row = first; row <= last; row++)
    drawn.push(<Row key={row} row={row} from={from} to={to} edges={edges} {...props} area={area} current={focusRow === row ? focusColumn! : -1} role={roleOf(reading, row)} />);
  return (
    <div ref={scroller} className={`grid ${props.looks}`} role="grid" aria-label={`${reading.sheet?.name ?? reading.name} as a grid`} aria-rowcount={rows + 1} aria-colcount={columns + 1} aria-multiselectable="true" tabIndex={0} aria-activedescendant={selected && focusRow! >= first && focusRow! <= last ? `cell-${focusRow}-${focusColumn}` : undefined} onKeyDown={onKey}>
      <div role="presentation" className="canvas" style={{ width: edges[columns]!, height: (rows + 1) * ROW }}>
        <div role="row" className="head" aria-rowindex={1} style={{ width: edges[columns]! }}>
          <div role="columnheader" aria-colindex={1} className="corner"><span className="unseen">Rows</span></div>
          {Array.from({ length: to - from + 1 }, (_, number) => from + number).map((column) => (
            <div key={column} role="columnheader" aria-colindex={column + 2} className={area && column >= area.left && column <= area.right ? "on" : ""} style={{ left: edges[column]!, width: edges[column + 1]! - edges[column]! }}
              onClick={(event) => select({ anchor: [0, event.shiftKey && selected ? selected.anchor[1] : column], focus: [focusRow ?? reading.frame[0], column], lines: "column" })}>
              {letters(column)}{reading.stub_columns.includes(column) && <i className="role-stub" title="a column of labels" />}
            </div>
          ))}
        </div>
        <div role="rowgroup">{drawn}</div>
        {props.siblings.map((one) => one.frame && (
          <FrameMark key={one.id} one={one} own={one.id === reading.id} edges={edges} editable={props.editable} moveEdge={props.moveEdge} />
        ))}
      </div>
    </div>
  );
}

interface RowProps extends GridProps { row: number; from: number; to: number; edges: number[]; area: Area | null; current: number; role: string }

const Row = memo(function Row({ row, from, to, edges, cells, area, current, role, select, selected, lit, looks, reading, editable, headers, moveHeader }: RowProps) {
  const drawn = [];
  for (let column = from; column <= to; column++) {
    const cell = cells.at(row, column);
    const chosen = area !== null && holds(area, row, column);
    if (!cell && !chosen && column !== current) continue;
    const name = `${row},${column}`;
    const mine = !cell?.table || reading.id.endsWith(`-${cell.table}`);
    const isLit = lit.cells.has(name) || (lit.header !== null && within(lit.header.rows, row) && within(lit.header.columns, column));
    const header = headers.get(name);
    const classes = ["cell", cell?.role && looks === "roles" ? `role-${cell.role}` : "", mine ? "" : "other-table", isLit ? "lit" : "", chosen ? "on" : "", column === current ? "current" : "", cell?.lost ? "lost" : "", cell?.changed ? "flash" : "", right(cell) ? "number" : ""];
    const drag = editable && header ? dragging(header.side, [row, column], moveHeader) : {};
    drawn.push(
      <div key={column} id={`cell-${row}-${column}`} role="gridcell" aria-colindex={column + 2} aria-selected={chosen} className={classes.filter(Boolean).join(" ")} style={styleOf(cell, column, edges, looks, cell && !cell.across && !right(cell) && !cell.look?.wrap && cell.text.length > 6 ? reach(cells, row, column, to) : 1)} title={titleOf(cell, a1(row, column))}
        onClick={(event) => select({ anchor: event.shiftKey && selected ? selected.anchor : [row, column], focus: [row, column], lines: null })} {...drag}>
        {cell?.text && <span className="text">{cell.text}</span>}
      </div>,
    );
  }
  const on = area !== null && row >= area.top && row <= area.bottom;
  return (
    <div role="row" aria-rowindex={row + 2} className="row" style={{ top: (row + 1) * ROW }}>
      <div role="rowheader" aria-colindex={1} className={on ? "on" : ""} title={role} onClick={(event) => select({ anchor: [event.shiftKey && selected ? selected.anchor[0] : row, 0], focus: [row, reading.frame[1]], lines: "row" })}>
        {row + 1}<i className={`role-${role === "data" ? "value" : role}`} />
      </div>
      {drawn}
    </div>
  );
}, (before, after) =>
  before.row === after.row && before.from === after.from && before.to === after.to && before.edges === after.edges && before.turn === after.turn && before.looks === after.looks && before.role === after.role &&
  litIn(before) === litIn(after) && before.current === after.current && before.headers === after.headers && before.editable === after.editable && before.select === after.select && before.moveHeader === after.moveHeader &&
  touches(before) === touches(after));

/** What is lit in a row, as one text. */
function litIn({ lit, row, from, to }: RowProps): string {
  let found = lit.header && within(lit.header.rows, row) ? JSON.stringify(lit.header.columns) : "";
  if (lit.cells.size) for (let column = from; column <= to; column++) if (lit.cells.has(`${row},${column}`)) found += ` ${column}`;
  return found;
}

/** What of the selection a row shows, as one text. */
function touches({ area, row, selected }: RowProps): string {
  const anchor = selected ? `${selected.anchor}` : "";
  return area && row >= area.top && row <= area.bottom ? `${area.left}-${area.right} ${anchor}` : anchor;
}

export function dragging(side: Side, here: [number, number], moveHeader: GridProps["moveHeader"]) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData("text/x-header", JSON.stringify([side, ...here]));
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("text/x-header")) return;
      event.preventDefault();
      event.currentTarget.classList.add("target");
    },
    onDragLeave: (event: DragEvent) => event.currentTarget.classList.remove("target"),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      event.currentTarget.classList.remove("target");
      const [from, row, column] = JSON.parse(event.dataTransfer.getData("text/x-header")) as [Side, number, number];
      if (from === side && (row !== here[0] || column !== here[1])) moveHeader(side, [row, column], here);
    },
  };
}

/** The frame of a table, with edges that can be moved where it is the one under repair. */
function FrameMark({ one, own, edges, editable, moveEdge }: { one: Sibling; own: boolean; edges: number[]; editable: boolean; moveEdge: MoveEdge }) {
  const [held, setHeld] = useState<Area | null>(null);
  const frame: Area = held ?? { top: one.frame![0], left: one.frame![1], bottom: one.frame![2], right: one.frame![3] };
  const box = { top: (frame.top + 1) * ROW, left: edges[frame.left] ?? 0, height: (frame.bottom - frame.top + 1) * ROW, width: (edges[frame.right + 1] ?? 0) - (edges[frame.left] ?? 0) };
  const drag = (side: "top" | "bottom" | "left" | "right") => (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    const handle = event.currentTarget;
    const canvas = handle.closest(".canvas")!;
    handle.setPointerCapture(event.pointerId);
    let line = frame[side];
    const follow = (moved: globalThis.PointerEvent) => {
      const place = canvas.getBoundingClientRect();
      const wanted = side === "top" || side === "bottom" ? Math.floor((moved.clientY - place.top) / ROW) - 1 : lastBefore(edges, moved.clientX - place.left);
      line = side === "top" ? Math.min(wanted, frame.bottom) : side === "left" ? Math.min(wanted, frame.right) : Math.max(wanted, side === "bottom" ? frame.top : frame.left);
      line = Math.max(0, line);
      setHeld({ ...frame, [side]: line });
    };
    const end = () => {
      handle.removeEventListener("pointermove", follow);
      setHeld(null);
      if (line !== frame[side]) moveEdge(side, line);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", end, { once: true });
  };
  return (
    <div className={own ? "frame own" : "frame"} style={box} aria-hidden="true">
      <a href={`#/table/${encodeURIComponent(one.name)}`} tabIndex={-1}>{one.id.split("-").pop()}</a>
      {own && editable && (["top", "bottom", "left", "right"] as const).map((side) => <b key={side} className={`edge ${side}`} data-edge={side} onPointerDown={drag(side)} />)}
    </div>
  );
}

const pixels = (width: number | undefined): number => Math.round(Math.min(420, Math.max(28, (width ?? 9) * 7.2 + 6)));
const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
const right = (cell: Drawn | undefined): boolean => cell?.look?.align ? cell.look.align === "right" : cell?.kind === "number" || cell?.kind === "date";

function lastBefore(edges: number[], x: number): number {
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  return Math.min(low, edges.length - 2);
}

function roleOf(reading: Reading, row: number): string {
  const runs = reading.row_roles;
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last, role] = runs[middle]!;
    if (row < first) high = middle - 1;
    else if (row > last) low = middle + 1;
    else return role;
  }
  return "blank";
}

/** Over how many columns a text may run on: up to the next cell that says something. */
function reach(cells: Cells, row: number, column: number, last: number): number {
  let next = column + 1;
  while (next <= last && next < column + 12 && !cells.at(row, next)?.text) next++;
  return next - column;
}

function styleOf(cell: Drawn | undefined, column: number, edges: number[], looks: string, reached: number): CSSProperties {
  const across = cell?.across ?? 1;
  const style: CSSProperties & Record<string, unknown> = { left: edges[column]!, width: (edges[column + across] ?? edges[edges.length - 1]!) - edges[column]! };
  if (reached > 1) style["--reach"] = `${(edges[column + reached] ?? edges[edges.length - 1]!) - edges[column]!}px`;
  if ((cell?.down ?? 1) > 1) style.height = cell!.down! * ROW;
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
const titleOf = (cell: Drawn | undefined, address: string): string => [address, cell?.role, cell?.lost ? "nothing accounts for this cell" : "", cell?.text].filter(Boolean).join(" · ");
