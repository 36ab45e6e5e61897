// Plots of an answer, drawn as SVG: lines over time, bars over names, points over numbers, countries and states on a map.
import { useMemo } from "react";
import type { Rows } from "../api";
import { PlaceMap, type Where } from "./PlaceMap";

export type PlotKind = "none" | "line" | "bar" | "scatter" | "map";
export const PLOTS: PlotKind[] = ["none", "line", "bar", "scatter", "map"];
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [860, 320, 66, 44, 24];
const MOST_BARS = 40;
const MOST_SERIES = 6;

interface Plan { kind: PlotKind; x: number; ys: number[]; names?: number[]; where?: Where }

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const numeric = (rows: Rows, column: number): boolean => rows.rows.some((row) => isNumber(row[column])) && rows.rows.every((row) => row[column] === null || isNumber(row[column]));
/** The moment that a value names: a year, or a date; null where it names none. */
export function moment(value: unknown): number | null {
  if (isNumber(value)) return Number.isInteger(value) && value >= 1500 && value <= 2200 ? value : null;
  const text = String(value ?? "").trim();
  const year = /^(1[5-9]\d\d|2[01]\d\d)$/.exec(text);
  if (year) return Number(text);
  const day = /^(\d{4})-(\d\d)(?:-(\d\d))?/.exec(text);
  return day ? Number(day[1]) + (Number(day[2]) - 1) / 12 + (Number(day[3] ?? 1) - 1) / 365 : null;
}

/** What an answer is best drawn as. */
export function plan(rows: Rows, wanted?: PlotKind, where: Where | null = null): Plan {
  const columns = rows.columns.map((_, number) => number);
  const numbers = columns.filter((one) => numeric(rows, one));
  const times = columns.filter((one) => rows.rows.length > 1 && rows.rows.every((row) => moment(row[one]) !== null));
  const names = columns.filter((one) => !numbers.includes(one) && rows.rows.some((row) => row[one] !== null));
  const latitude = numbers.find((one) => /^lat(itude)?$/i.test(rows.columns[one]!));
  const longitude = numbers.find((one) => /^(lon|lng|long|longitude)$/i.test(rows.columns[one]!));
  const none: Plan = { kind: "none", x: 0, ys: [] };
  const line = (): Plan => { const x = times[0] ?? numbers[0]; const ys = numbers.filter((one) => one !== x && !times.includes(one)); return x === undefined || !ys.length ? none : { kind: "line", x, ys: ys.slice(0, MOST_SERIES) }; };
  const bar = (): Plan => { const x = names[0] ?? times[0] ?? columns[0]; const ys = numbers.filter((one) => one !== x); return x === undefined || !ys.length ? none : { kind: "bar", x, ys: ys.slice(0, MOST_SERIES), names }; };
  const scatter = (): Plan => (numbers.length > 1 ? { kind: "scatter", x: numbers[0]!, ys: [numbers[1]!] } : none);
  const drawn = where ? numbers.find((one) => one !== where.column) : undefined;
  const map = (): Plan => (latitude !== undefined && longitude !== undefined ? { kind: "map", x: longitude, ys: [latitude] } :
    where && drawn !== undefined ? { kind: "map", x: where.column, ys: [drawn], where } : none);
  if (wanted) return { none: () => none, line, bar, scatter, map }[wanted]();
  if (!rows.rows.length) return none;
  if (map().kind === "map") return map();
  if (times.length && line().kind === "line") return line();
  if (names.length && rows.rows.length <= MOST_BARS && bar().kind === "bar") return bar();
  return scatter().kind === "scatter" && !names.length ? scatter() : none;
}
export const choosePlot = (rows: Rows, where: Where | null = null): PlotKind => plan(rows, undefined, where).kind;

/** Round steps for an axis. */
export function ticks(low: number, high: number, count = 5): number[] {
  const rough = (high - low || Math.abs(high) || 1) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * size).find((one) => one >= rough)!;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

export function Plot({ rows, kind, where = null }: { rows: Rows; kind: PlotKind; where?: Where | null }) {
  const made = useMemo(() => plan(rows, kind, where), [rows, kind, where]);
  if (made.kind === "none") return <p className="note">These rows cannot be drawn so: it takes a column of numbers{kind === "map" ? ", and one that names countries or states, or columns called latitude and longitude" : ""}.</p>;
  if (made.where) return <PlaceMap rows={rows} where={made.where} column={made.ys[0]!} />;
  const bars = made.kind === "bar";
  const data = bars ? rows.rows.slice(0, MOST_BARS) : rows.rows;
  const x = (row: unknown[], number: number): number | null => (bars ? number : made.kind === "line" ? moment(row[made.x]) ?? (isNumber(row[made.x]) ? (row[made.x] as number) : null) : (row[made.x] as number | null));
  const xs = data.map(x).filter(isNumber);
  const ys = data.flatMap((row) => made.ys.map((one) => row[one])).filter(isNumber);
  if (!xs.length || !ys.length) return <p className="note">There is no number to plot.</p>;
  const [x0, x1] = bars ? [-0.5, data.length - 0.5] : spread(Math.min(...xs), Math.max(...xs));
  const [y0, y1] = spread(bars ? Math.min(0, ...ys) : Math.min(...ys), bars ? Math.max(0, ...ys) : Math.max(...ys));
  const toX = (value: number) => LEFT + ((value - x0) / (x1 - x0)) * (WIDTH - LEFT - 12);
  const toY = (value: number) => HEIGHT - BOTTOM - ((value - y0) / (y1 - y0)) * (HEIGHT - BOTTOM - TOP);
  const wide = (toX(1) - toX(0)) * 0.8;
  const nameOf = (row: unknown[]): string => String([...(made.names ?? [])].reverse().map((one) => row[one]).find((one) => one !== null && one !== "") ?? row[made.x] ?? "");
  const label = `${made.kind} plot of ${made.ys.map((one) => rows.columns[one]).join(", ")} over ${rows.columns[made.x]}`;
  return (
    <svg className="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {ticks(y0, y1).map((one) => <g key={one}><line className="axis" x1={LEFT} x2={WIDTH - 12} y1={toY(one)} y2={toY(one)} /><text x={LEFT - 6} y={toY(one) + 4} textAnchor="end">{plainNumber(one)}</text></g>)}
      {bars ? data.map((row, number) => (data.length <= 14 || number % Math.ceil(data.length / 14) === 0) && <text key={number} x={toX(number)} y={HEIGHT - BOTTOM + 15} textAnchor="middle">{clip(nameOf(row), data.length > 7 ? 10 : 18)}</text>)
        : ticks(x0, x1, 8).map((one) => <text key={one} x={toX(one)} y={HEIGHT - BOTTOM + 15} textAnchor="middle">{made.kind === "line" && Number.isInteger(one) ? one : plainNumber(one)}</text>)}
      {made.ys.map((column, series) => (
        <g key={column} className={`c${series}`}>
          {made.kind === "line" && <path d={path(data.map((row, number) => [x(row, number), row[column]]).filter((one): one is [number, number] => isNumber(one[0]) && isNumber(one[1])).sort((a, b) => a[0] - b[0]).map(([a, b]) => [toX(a), toY(b)]))} />}
          {data.map((row, number) => {
            const [a, b] = [x(row, number), row[column]];
            if (!isNumber(a) || !isNumber(b)) return null;
            const said = <title>{`${bars ? nameOf(row) : `${rows.columns[made.x]} ${row[made.x]}`}: ${rows.columns[column]} ${b}`}</title>;
            if (bars) { const each = wide / made.ys.length; return <rect key={number} x={toX(a) - wide / 2 + series * each} width={Math.max(1, each - 1)} y={Math.min(toY(b), toY(0))} height={Math.abs(toY(b) - toY(0))}>{said}</rect>; }
            return <circle key={number} cx={toX(a)} cy={toY(b)} r={made.kind === "line" ? 2.5 : 3.5}>{said}</circle>;
          })}
          <rect x={LEFT + series * 132} y={3} width={10} height={10} /><text className="key" x={LEFT + 14 + series * 132} y={12}>{clip(rows.columns[column]!, 17)}</text>
        </g>
      ))}
      <text x={(WIDTH + LEFT) / 2} y={HEIGHT - 8} textAnchor="middle">{(made.names?.length ? made.names.map((one) => rows.columns[one]).join(" › ") : rows.columns[made.x])}{bars && rows.rows.length > MOST_BARS ? ` (the first ${MOST_BARS})` : ""}</text>
    </svg>
  );
}

const spread = (low: number, high: number): [number, number] => (low === high ? [low - 1, high + 1] : [low, high]);
const path = (points: [number, number][]): string => points.map(([a, b], number) => `${number ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const plainNumber = (value: number): string => (Math.abs(value) >= 1e6 ? `${Number((value / 1e6).toPrecision(4))} M` : value.toLocaleString("en", { maximumFractionDigits: 4 }));
