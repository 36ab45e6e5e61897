// Rows, columns and addresses of sheets.

export function letters(column: number): string {
  let text = "";
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  return text;
}

export const a1 = (row: number, column: number): string => `${letters(column)}${row + 1}`;

export function parseA1(text: string): [number, number] | null {
  const found = /^([A-Za-z]{1,3})([1-9]\d{0,6})$/.exec(text.trim());
  if (!found) return null;
  let column = 0;
  for (const letter of found[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return [Number(found[2]) - 1, column - 1];
}

export interface Area { top: number; left: number; bottom: number; right: number }

export const areaOf = (a: [number, number], b: [number, number]): Area => ({
  top: Math.min(a[0], b[0]), left: Math.min(a[1], b[1]), bottom: Math.max(a[0], b[0]), right: Math.max(a[1], b[1]),
});
export const areaText = (area: Area): string =>
  area.top === area.bottom && area.left === area.right ? a1(area.top, area.left) : `${a1(area.top, area.left)}:${a1(area.bottom, area.right)}`;
export const holds = (area: Area, row: number, column: number): boolean =>
  row >= area.top && row <= area.bottom && column >= area.left && column <= area.right;
export const within = (runs: [number, number][], number: number): boolean => runs.some(([first, last]) => number >= first && number <= last);
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const short = (source: string): string => source.replace(/^sent:\/\//, "").split(/[\\/]/).pop() || source;

/** Tables document by document, the second before the tenth. */
export const inTurn = <T extends { document: string; name: string }>(answer: { tables: T[] }): { tables: T[] } => ({
  tables: [...answer.tables].sort((a, b) => a.document.localeCompare(b.document) || a.name.localeCompare(b.name, "en", { numeric: true })),
});
