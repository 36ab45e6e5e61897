// A sheet as a grid of which only what is seen is drawn, with roles, frames of tables and what is lit laid over it.
import { type DragEvent, type KeyboardEvent, type MouseEvent, type PointerEvent, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Reading, Sibling, Side } from "../api";
import { roleName } from "../parts";
import { type Area, a1, letters, within } from "../places";
import { type Cells, type Drawn, useTurn } from "./cells";
import { type Lit, type Paths, runsOf } from "./lighting";
import { GUTTER, ROW, Row } from "./Row";

const OVERSCAN = 8;

export interface Selection { anchor: [number, number]; focus: [number, number]; lines: "row" | "column" | null }
export type MoveEdge = (side: "top" | "bottom" | "left" | "right", line: number) => void;
export interface GridProps {
  reading: Reading; cells: Cells; rows: number; columns: number; widths: Record<string, number>; looks: "roles" | "source";
  selected: Selection | null; select: (next: Selection) => void; lit: Lit; siblings: Sibling[]; editable: boolean;
  moveHeader: (side: Side, from: [number, number], to: [number, number]) => void; moveEdge: MoveEdge; onKey: (event: KeyboardEvent) => void;
  paths: Paths;
}

export const areaOfSelection = (selected: Selection, rows: number, columns: number): Area => ({
  top: selected.lines === "column" ? 0 : Math.min(selected.anchor[0], selected.focus[0]),
  bottom: selected.lines === "column" ? rows - 1 : Math.max(selected.anchor[0], selected.focus[0]),
  left: selected.lines === "row" ? 0 : Math.min(selected.anchor[1], selected.focus[1]),
  right: selected.lines === "row" ? columns - 1 : Math.max(selected.anchor[1], selected.focus[1]),
});

export const Grid = memo(function Grid(props: GridProps) {
  const { cells, rows, columns, selected, select, reading, editable, paths } = props;
  useTurn(cells);
  const scroller = useRef<HTMLDivElement>(null);
  const edges = useMemo(() => {
    const found = [GUTTER];
    for (let column = 0; column < columns; column++) found.push(found[column]! + pixels(props.widths[String(column)]));
    return found;
  }, [columns, props.widths]);
  const { first, last, from, to, aside, pool } = useSeen(scroller, edges, rows, columns);
  useEffect(() => cells.want({ top: first, left: from, bottom: last, right: to }), [cells, first, last, from, to, reading.version]);
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
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / ROW) - 2);
    const steps: Record<string, [number, number]> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0], Home: [0, -columns], End: [0, columns] };
    const step = steps[event.key];
    if (step && !event.altKey) {
      event.preventDefault();
      move(event.ctrlKey ? step[0] * rows : step[0], event.ctrlKey ? step[1] * columns : step[1], event.shiftKey);
    } else props.onKey(event);
  };
  const onClick = (event: MouseEvent) => {
    const held = event.shiftKey && selected ? selected.anchor : null;
    const cell = cellAt(event.target);
    if (cell) return select({ anchor: held ?? cell, focus: cell, lines: null });
    const { row, column } = (event.target as Element).closest<HTMLElement>("[data-row], [data-column]")?.dataset ?? {};
    if (row) select({ anchor: [held?.[0] ?? Number(row), 0], focus: [Number(row), reading.frame[1]], lines: "row" });
    else if (column) select({ anchor: [0, held?.[1] ?? Number(column)], focus: [focusRow ?? reading.frame[0], Number(column)], lines: "column" });
  };
  const name = (event: MouseEvent) => {
    const [here, cell] = [(event.target as Element).closest<HTMLElement>(".cell"), cellAt(event.target)];
    if (here && cell) here.title = titleOf(cells.at(...cell), a1(...cell));
  };
  const lit = useMemo(() => litRows(props.lit), [props.lit]);
  const movable = useMemo(() => (editable ? byRow(paths.at.keys()) : new Map<number, string>()), [paths, editable]);
  const table = reading.id.split("-").pop()!;
  const drawn = [];
  for (let row = first; row <= last; row++)
    drawn.push(<Row key={row % pool} row={row} cells={cells} edges={edges} from={from} to={to} looks={props.looks} role={roleOf(reading, row)} table={table} stamp={cells.stamp(row)} lit={lit(row)} on={area && row >= area.top && row <= area.bottom ? `${area.left}-${area.right}` : ""} current={focusRow === row ? focusColumn! : -1} movable={movable.get(row) ?? ""} />);
  return (
    <div ref={scroller} className={`grid ${props.looks}`} role="grid" aria-label={`${reading.sheet?.name ?? reading.name} as a grid`} aria-rowcount={rows + 1} aria-colcount={columns + 1} aria-multiselectable="true" tabIndex={0} aria-activedescendant={selected && focusRow! >= first && focusRow! <= last ? `cell-${focusRow}-${focusColumn}` : undefined} onKeyDown={onKey}>
      <div role="presentation" className="canvas" style={{ width: edges[columns]!, height: (rows + 1) * ROW }} onClick={onClick} onMouseOver={name} {...(editable ? draggingCells(paths, props.moveHeader) : {})}>
        <Head edges={edges} from={from} to={to} left={area ? area.left : -1} right={area ? area.right : -2} stub={reading.stub_columns.join()} />
        {aside && (
          <div className="gutter" aria-hidden="true">{Array.from({ length: last - first + 1 }, (_, number) => first + number).map((row) => (
            <div key={row % pool} data-row={row} className={area && row >= area.top && row <= area.bottom ? "on" : ""} style={{ transform: `translateY(${row * ROW}px)` }}>{row + 1}<i className={`role-${roleOf(reading, row) === "data" ? "value" : roleOf(reading, row)}`} /></div>
          ))}</div>
        )}
        <div role="rowgroup">{drawn}</div>
        {props.siblings.map((one) => one.frame && (
          <FrameMark key={one.id} one={one} own={one.id === reading.id} edges={edges} editable={editable} moveEdge={props.moveEdge} />
        ))}
      </div>
    </div>
  );
});

/** The rows and columns that are seen, and whether the numbers of the rows are scrolled out of sight. */
function useSeen(scroller: { current: HTMLDivElement | null }, edges: number[], rows: number, columns: number) {
  const [seen, setSeen] = useState({ top: 0, left: 0, width: 900, height: 600 });
  useLayoutEffect(() => {
    const here = scroller.current!;
    const look = () => setSeen({ top: here.scrollTop, left: here.scrollLeft, width: here.clientWidth, height: here.clientHeight });
    let waiting = 0;
    // within the frame that scrolls: later it would be drawn twice, and first without the new rows
    const soon = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; flushSync(look); }); };
    look();
    here.addEventListener("scroll", soon, { passive: true });
    const watcher = new ResizeObserver(soon);
    watcher.observe(here);
    return () => { here.removeEventListener("scroll", soon); watcher.disconnect(); cancelAnimationFrame(waiting); };
  }, [scroller]);
  return {
    first: Math.max(0, Math.floor(seen.top / ROW) - OVERSCAN),
    last: Math.min(rows - 1, Math.floor(seen.top / ROW) + Math.ceil(seen.height / ROW) + OVERSCAN),
    from: Math.max(0, lastBefore(edges, seen.left) - 2),
    to: Math.min(columns - 1, lastBefore(edges, seen.left + seen.width) + 2),
    aside: seen.left > 0,
    pool: Math.ceil(seen.height / ROW) + 2 * OVERSCAN + 2, // rows go round: what leaves at one end comes in at the other
  };
}

/** The letters of the columns. */
const Head = memo(function Head({ edges, from, to, left, right, stub }: { edges: number[]; from: number; to: number; left: number; right: number; stub: string }) {
  const labels = new Set(stub ? stub.split(",").map(Number) : []);
  return (
    <div role="row" className="head" aria-rowindex={1} style={{ width: edges.at(-1)! }}>
      <div role="columnheader" aria-colindex={1} className="corner"><span className="unseen">Rows</span></div>
      {Array.from({ length: to - from + 1 }, (_, number) => from + number).map((column) => (
        <div key={column} role="columnheader" aria-colindex={column + 2} data-column={column} className={column >= left && column <= right ? "on" : ""} style={{ left: edges[column]!, width: edges[column + 1]! - edges[column]! }}>
          {letters(column)}{labels.has(column) && <i className="role-stub" title="a column of row headers" />}
        </div>
      ))}
    </div>
  );
});

/** The cell that an event is of. */
function cellAt(target: EventTarget): [number, number] | null {
  const found = /^cell-(\d+)-(\d+)$/.exec((target as Element).closest(".cell")?.id ?? "");
  return found && [Number(found[1]), Number(found[2])];
}

/** The columns of some cells, row by row, as runs. */
function byRow(names: Iterable<string>): Map<number, string> {
  const found = new Map<number, number[]>();
  for (const name of names) {
    const [row, column] = name.split(",").map(Number) as [number, number];
    const held = found.get(row);
    if (held) held.push(column);
    else found.set(row, [column]);
  }
  return new Map([...found].map(([row, held]) => [row, textOf(runsOf(held))]));
}

const textOf = (runs: [number, number][]): string => runs.map((run) => run.join("-")).join();

/** Which columns of each row are lit. */
function litRows({ cells, header }: Lit): (row: number) => string {
  const own = byRow(cells);
  const columns = header ? textOf(header.columns) : "";
  return (row) => (header && within(header.rows, row) ? columns : own.get(row) ?? "");
}

const DRAGGED = "text/x-header";

/** What happens when a header is dragged over another, `here`, which an element shows. */
function drags(side: Side, here: [number, number], element: Element, moveHeader: GridProps["moveHeader"]) {
  return {
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(DRAGGED, JSON.stringify([side, ...here]));
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      element.classList.add("target");
    },
    onDragLeave: () => element.classList.remove("target"),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      element.classList.remove("target");
      const [from, row, column] = JSON.parse(event.dataTransfer.getData(DRAGGED)) as [Side, number, number];
      if (from === side && (row !== here[0] || column !== here[1])) moveHeader(side, [row, column], here);
    },
  };
}

type Drags = ReturnType<typeof drags>;
const handlers = (of: (event: DragEvent) => Drags | null) => Object.fromEntries((["onDragStart", "onDragOver", "onDragLeave", "onDrop"] as const).map((name) => [name, (event: DragEvent) => of(event)?.[name](event)]));

/** Dragging of one element that shows a header. */
export const dragging = (side: Side, here: [number, number], moveHeader: GridProps["moveHeader"]) => ({ draggable: true, ...handlers((event) => drags(side, here, event.currentTarget, moveHeader)) });

/** Dragging within the grid, for all of its cells at once. */
const draggingCells = (paths: Paths, moveHeader: GridProps["moveHeader"]) => handlers((event) => {
  const cell = cellAt(event.target);
  const header = cell && paths.at.get(String(cell));
  return cell && header ? drags(header.side, cell, (event.target as Element).closest(".cell")!, moveHeader) : null;
});

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
      <a className={frame.top ? "" : "beside"} href={`#/table/${encodeURIComponent(one.name)}`} tabIndex={-1}>{one.id.split("-").pop()}</a>
      {own && editable && (["top", "bottom", "left", "right"] as const).map((side) => <b key={side} className={`edge ${side}`} data-edge={side} onPointerDown={drag(side)} />)}
    </div>
  );
}

const pixels = (width: number | undefined): number => Math.round(Math.min(420, Math.max(28, (width ?? 9) * 7.2 + 6)));
const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

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

const titleOf = (cell: Drawn | undefined, address: string): string => [address, cell?.role && roleName(cell.role), cell?.lost ? "this cell is in no value, header or note" : "", cell?.text].filter(Boolean).join(" · ");
