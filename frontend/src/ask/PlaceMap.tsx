// Countries or states in the shade of their numbers. Outlines: Natural Earth and the US Census Bureau, public domain.
import { useEffect, useState } from "react";
import type { Rows } from "../api";

export interface Where { column: number; kind: "country" | "state"; codes: (string | null)[] }
interface Outlines { width: number; height: number; paths: Record<string, string> }
const SHADES = 6;

/** The number of each place: the mean of its rows, which mostly is one. */
export function byPlace(rows: Rows, where: Where, column: number): Map<string, { value: number; label: string }> {
  const held = new Map<string, { sum: number; count: number; label: string }>();
  rows.rows.forEach((row, number) => {
    const [code, value] = [where.codes[number], row[column]];
    if (!code || typeof value !== "number" || !Number.isFinite(value)) return;
    const before = held.get(code) ?? { sum: 0, count: 0, label: String(row[where.column]) };
    held.set(code, { ...before, sum: before.sum + value, count: before.count + 1 });
  });
  return new Map([...held].map(([code, { sum, count, label }]) => [code, { value: sum / count, label }]));
}

/** The borders between shades, so that each has about as many places. */
export function borders(values: number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const found = Array.from({ length: SHADES - 1 }, (_, number) => sorted[Math.floor(((number + 1) * sorted.length) / SHADES)]!);
  return [...new Set(found)].filter((one) => one > sorted[0]!);
}

const said = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });

export function PlaceMap({ rows, where, column }: { rows: Rows; where: Where; column: number }) {
  const [outlines, setOutlines] = useState<Outlines | null>(null);
  useEffect(() => {
    let current = true;
    void import("./outlines.json").then((all) => current && setOutlines((all.default as Record<string, Outlines>)[where.kind]!));
    return () => { current = false; };
  }, [where.kind]);
  if (!outlines) return <p className="note">Drawing …</p>;
  const places = byPlace(rows, where, column);
  const values = [...places.values()].map((one) => one.value);
  if (!values.length) return <p className="note">No row has both a place and a number.</p>;
  const steps = borders(values);
  const shade = (value: number): number => steps.filter((one) => value >= one).length;
  const hidden = [...places].filter(([code]) => !outlines.paths[code]).map(([, one]) => `${one.label} ${said(one.value)}`);
  const edges = [Math.min(...values), ...steps, Math.max(...values)];
  return (
    <figure className="map">
      <svg viewBox={`0 0 ${outlines.width} ${outlines.height}`} role="img" aria-label={`map of ${rows.columns[column]} by ${rows.columns[where.column]}`}>
        {Object.entries(outlines.paths).map(([code, path]) => {
          const one = places.get(code);
          return <path key={code} d={path} data-place={code} className={one ? `shade s${shade(one.value)}` : "land"}>{one && <title>{`${one.label}: ${said(one.value)}`}</title>}</path>;
        })}
      </svg>
      <figcaption>
        <b>{rows.columns[column]}</b>
        {Array.from({ length: steps.length + 1 }, (_, number) => <span key={number} className="step"><i className={`s${number}`} />{said(edges[number]!)}{number === steps.length ? ` – ${said(edges[number + 1]!)}` : ""}</span>)}
        {hidden.length > 0 && <span className="dim">Not on the map: {hidden.slice(0, 12).join(", ")}{hidden.length > 12 ? " …" : ""}</span>}
      </figcaption>
    </figure>
  );
}
