// A saved web page in a sandbox without script or network; marks are laid over it from outside.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Reading } from "../api";
import { within } from "../places";
import { type Cells, useTurn } from "./cells";
import type { Selection } from "./Grid";
import type { Lit } from "./lighting";

interface Mark { left: number; top: number; width: number; height: number; row: number; column: number }

interface Said { row: number; column: number; text: string }
const bare = (text: string): string => text.normalize("NFKC").replace(/\s+/g, "");

/**
 * The elements that cells of a table stand in. Reading leaves out what only keeps distance and joins what is one amount
 * ("$" and "12"), so rows are found again by their words, in turn, and cells within them.
 */
export function elementsOf(said: Said[], table: Element): Map<string, Element[]> {
  const lines = table instanceof table.ownerDocument.defaultView!.HTMLTableElement ? [...table.rows].map((line) => [...line.cells] as Element[])
    : [[...table.querySelectorAll("*")].filter((one) => !one.firstElementChild && bare(one.textContent ?? ""))];
  const shown = lines.map((line) => line.map((element) => ({ element, text: bare(element.textContent ?? "") })).filter((one) => one.text));
  const whole = shown.map((line) => line.map((one) => one.text).join(""));
  const rows = new Map<number, Said[]>();
  for (const cell of [...said].sort((a, b) => a.row - b.row || a.column - b.column)) if (bare(cell.text)) rows.set(cell.row, [...(rows.get(cell.row) ?? []), cell]);
  const found = new Map<string, Element[]>();
  let next = 0;
  for (const cells of rows.values()) {
    const words = cells.map((cell) => bare(cell.text)).join("");
    let at = lines.length === 1 ? 0 : whole.indexOf(words, next);
    if (at < 0) at = whole.findIndex((line, number) => number >= next && number < next + 8 && cells.every((cell) => line.includes(bare(cell.text))));
    if (at < 0) continue;
    let place = lines.length === 1 ? next : 0;
    for (const cell of cells) {
      const [wanted, line] = [bare(cell.text), shown[at]!];
      for (let first = place; first < line.length; first++) {
        let [last, text] = [first, line[first]!.text];
        while (text.length < wanted.length && wanted.startsWith(text) && last + 1 < line.length) text += line[++last]!.text;
        if (text !== wanted) continue;
        found.set(`${cell.row},${cell.column}`, line.slice(first, last + 1).map((one) => one.element));
        place = last + 1;
        break;
      }
    }
    next = lines.length === 1 ? place : at + 1;
  }
  return found;
}

export function SavedPage({ reading, cells, selected, select, lit }: { reading: Reading; cells: Cells; selected: Selection | null; select: (next: Selection) => void; lit: Lit }) {
  const turn = useTurn(cells);
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
    const place = (elements: Element[], row: number, column: number): Mark => {
      const boxes = elements.map((one) => one.getBoundingClientRect());
      const [left, top] = [Math.min(...boxes.map((one) => one.left)), Math.min(...boxes.map((one) => one.top))];
      return { left, top, width: Math.max(...boxes.map((one) => one.right)) - left, height: Math.max(...boxes.map((one) => one.bottom)) - top, row, column };
    };
    setOutline(place([table], -1, -1));
    setMarks([...elementsOf([...cells.all()], table)].map(([name, elements]) => { const [row, column] = name.split(",").map(Number); return place(elements, row!, column!); }));
  }, [reading.place, cells, turn]);
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
