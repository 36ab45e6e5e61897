// A saved web page in a sandbox without script or network; marks are laid over it from outside.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Reading } from "../api";
import { within } from "../places";
import type { Cells } from "./cells";
import type { Lit, Selection } from "./Grid";

interface Mark { left: number; top: number; width: number; height: number; row: number; column: number }

/** The slot of each cell of a table, as the HTML standard places them. */
export function slotsOf(table: HTMLTableElement): Map<string, Element> {
  const found = new Map<string, Element>();
  const taken = new Set<string>();
  [...table.rows].forEach((line, row) => {
    let column = 0;
    for (const cell of line.cells) {
      while (taken.has(`${row},${column}`)) column++;
      found.set(`${row},${column}`, cell);
      const down = cell.rowSpan || table.rows.length - row;
      for (let below = 0; below < Math.min(down, 1000); below++)
        for (let beside = 0; beside < cell.colSpan; beside++) taken.add(`${row + below},${column + beside}`);
      column += cell.colSpan;
    }
  });
  return found;
}

export function SavedPage({ reading, cells, turn, selected, select, lit }: { reading: Reading; cells: Cells; turn: number; selected: Selection | null; select: (next: Selection) => void; lit: Lit }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [size, setSize] = useState({ width: 0, height: 600 });
  const [marks, setMarks] = useState<Mark[]>([]);
  const [outline, setOutline] = useState<Mark | null>(null);
  useEffect(() => cells.want({ top: 0, left: 0, bottom: Math.min(reading.rows, 2000) - 1, right: reading.columns - 1 }), [cells, reading]);
  const roles = useMemo(() => new Map([...cells.all()].map((cell) => [`${cell.row},${cell.column}`, cell])), [cells, turn]);

  const measure = useCallback(() => {
    const page = frame.current?.contentDocument;
    if (!page?.body) return;
    setSize({ width: page.documentElement.scrollWidth, height: Math.min(60_000, Math.max(page.documentElement.scrollHeight, page.body.scrollHeight)) });
    const index = reading.place.table_index;
    const table = index === undefined ? (reading.place.path ? query(page, reading.place.path) : null) : page.querySelectorAll("table")[index];
    if (!table) return;
    const place = (element: Element, row: number, column: number): Mark => {
      const box = element.getBoundingClientRect();
      return { left: box.left, top: box.top, width: box.width, height: box.height, row, column };
    };
    setOutline(place(table, -1, -1));
    if (table.tagName === "TABLE") setMarks([...slotsOf(table as HTMLTableElement)].map(([name, element]) => { const [row, column] = name.split(",").map(Number); return place(element, row!, column!); }));
  }, [reading.place]);
  useEffect(() => {
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, [measure]);
  const seen = useRef("");
  useEffect(() => {
    if (!outline || seen.current === reading.id) return;
    seen.current = reading.id;
    frame.current?.closest(".saved")?.scrollTo({ top: Math.max(0, outline.top - 60), left: Math.max(0, outline.left - 20) });
  }, [outline, reading.id]);
  return (
    <div className="saved" tabIndex={0} role="region" aria-label="The saved page">
      <div style={{ position: "relative", height: size.height, minWidth: size.width || undefined }}>
        <iframe ref={frame} title="The saved page" sandbox="allow-same-origin" src={`/documents/${reading.document}/page`} onLoad={measure} style={{ height: size.height }} tabIndex={-1} />
        <div className="over">
          {outline && <div className="outline own" style={box(outline, 4)} />}
          {marks.map((mark) => {
            const name = `${mark.row},${mark.column}`;
            const cell = roles.get(name);
            const isLit = lit.cells.has(name) || (lit.header !== null && within(lit.header.rows, mark.row) && within(lit.header.columns, mark.column));
            const on = selected?.focus[0] === mark.row && selected.focus[1] === mark.column;
            return <div key={name} className={`mark role-${cell?.role ?? "none"}${isLit ? " lit" : ""}${on ? " on" : ""}${cell?.changed ? " flash" : ""}`} data-cell={name} title={cell ? `${cell.role ?? ""}: ${cell.text}` : ""} style={box(mark, 0)} onClick={() => select({ anchor: [mark.row, mark.column], focus: [mark.row, mark.column], lines: null })} />;
          })}
        </div>
      </div>
    </div>
  );
}

const box = (mark: Mark, wider: number) => ({ left: mark.left - wider, top: mark.top - wider, width: mark.width + 2 * wider, height: mark.height + 2 * wider });

function query(page: Document, path: string): Element | null {
  try {
    return page.querySelector(path);
  } catch {
    return null; // a path that browsers do not know
  }
}
