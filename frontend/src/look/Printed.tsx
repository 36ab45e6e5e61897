// The pages of a PDF as they are printed, with the table's cells laid over them in the colours of their roles.
import { useEffect, useMemo, useRef } from "react";
import { type Reading, query } from "../api";
import { within } from "../places";
import { type Cells, useTurn } from "./cells";
import type { Selection } from "./Grid";
import type { Lit } from "./lighting";

export function Printed({ reading, cells, selected, select, lit }: { reading: Reading; cells: Cells; selected: Selection | null; select: (next: Selection) => void; lit: Lit }) {
  const turn = useTurn(cells);
  useEffect(() => cells.want({ top: 0, left: 0, bottom: reading.rows - 1, right: reading.columns - 1 }), [cells, reading]);
  const whole = useRef<HTMLDivElement>(null);
  const own = useRef<SVGRectElement>(null);
  useEffect(() => {
    const [shown, rect] = [whole.current, own.current];
    if (!shown || !rect) return;
    const [table, view] = [rect.getBoundingClientRect(), shown.getBoundingClientRect()];
    shown.scrollTo({ top: shown.scrollTop + table.top - view.top - 90, left: shown.scrollLeft + table.left - view.left - 12 });
  }, [reading.id]);
  const drawn = useMemo(() => [...cells.all()].filter((one) => one.box), [cells, turn]);
  return (
    <div ref={whole} className="printed" tabIndex={0} role="region" aria-label="Pages as printed">
      {reading.pages.map((page) => (
        <figure key={page.number}>
          <div className="paper" style={{ aspectRatio: `${page.width} / ${page.height}` }}>
            <img alt={`Page ${page.number} of ${reading.source}`} src={`/documents/${reading.document}/picture?${query({ page: page.number, scale: 2 })}`} />
            <svg viewBox={`0 0 ${page.width} ${page.height}`} role="group" aria-label={`Cells on page ${page.number}`}>
              {reading.tables.map((one) => {
                const box = one.place.page === page.number ? one.place.box : undefined;
                return box && <a key={one.id} href={`#/table/${encodeURIComponent(one.name)}`} aria-label={one.title ?? one.name}><rect ref={one.id === reading.id ? own : null} className={one.id === reading.id ? "outline own" : "outline"} x={box[0]! - 4} y={box[1]! - 4} width={box[2]! - box[0]! + 8} height={box[3]! - box[1]! + 8} /></a>;
              })}
              {drawn.filter((cell) => cell.page === page.number && cell.role).map((cell) => {
                const [left, top, right, bottom] = cell.box!;
                const name = `${cell.row},${cell.column}`;
                const isLit = lit.cells.has(name) || (lit.header !== null && within(lit.header.rows, cell.row) && within(lit.header.columns, cell.column));
                const on = selected?.focus[0] === cell.row && selected.focus[1] === cell.column;
                return (
                  <rect key={name} className={`mark role-${cell.role}${isLit ? " lit" : ""}${on ? " on" : ""}${cell.changed ? " flash" : ""}`} data-cell={name} x={left - 1.5} y={top - 1.5} width={right - left + 3} height={bottom - top + 3}
                    onClick={() => select({ anchor: [cell.row, cell.column], focus: [cell.row, cell.column], lines: null })}><title>{`${cell.role}: ${cell.text}`}</title></rect>
                );
              })}
            </svg>
          </div>
          <figcaption className="dim">page {page.number}</figcaption>
        </figure>
      ))}
    </div>
  );
}
