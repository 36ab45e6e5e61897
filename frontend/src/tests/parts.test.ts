import { plan, ticks, moment } from "../ask/Plot";
import { inParts } from "../annotate/PageParts";
import { borders, byPlace } from "../ask/PlaceMap";
import outlines from "../ask/outlines.json";
import { parametersIn } from "../ask/Ask";
import { begunAt } from "../ask/SqlBox";
import { operationsFor } from "../look/Toolbar";
import { flatten, parents } from "../look/Trees";
import { elementsOf } from "../look/SavedPage";
import { outline } from "../sites/Sites";
import { a1, letters, parseA1 } from "../places";
import { address, parseRoute } from "../route";
import type { HeaderNode, Reading } from "../api";

const node = (id: number, text: string, parent: number | null): HeaderNode => ({ id, text, parent, cells: [[id, 0]], probability: 1 });
const reading = { frame: [3, 0, 9, 4], stub_columns: [0], orientation: "column" } as unknown as Reading;
const area = { top: 4, left: 1, bottom: 5, right: 2 };

test("addresses of cells go both ways", () => {
  for (const [row, column] of [[0, 0], [9, 25], [99, 26], [1048575, 16383]] as const) expect(parseA1(a1(row, column))).toEqual([row, column]);
  expect(letters(701)).toBe("ZZ");
  expect(parseA1("7B")).toBeNull();
});

test("a state of the app is its address", () => {
  const there = address("table", "a/b %", { cell: "B7", view: "", side: null });
  expect(parseRoute(there)).toEqual({ page: "table", name: "a/b %", values: { cell: "B7" } });
  expect(parseRoute("").page).toBe("find");
});

test("a tree is shown in its order, and what is folded is not", () => {
  const nodes = [node(0, "all", null), node(1, "north", 0), node(2, "south", 0), node(3, "port", 1)];
  expect(flatten(nodes, new Set()).map(({ node: one, depth }) => [one.text, depth])).toEqual([["all", 0], ["north", 1], ["port", 2], ["south", 1]]);
  expect(flatten(nodes, new Set([1])).map(({ node: one }) => one.text)).toEqual(["all", "north", "south"]);
  expect(parents(nodes).get("3,0")).toBe("1,0");
});

test("keys stand for operations on what is chosen", () => {
  expect(operationsFor("h", reading, area)).toEqual([4, 5].map((row) => ({ do: "row-role", row: { row }, to: "header" })));
  expect(operationsFor("B", reading, area)).toEqual([{ do: "edge", table: { top: 3, left: 0, bottom: 9, right: 4 }, side: "bottom", to: { row: 5 } }]);
  expect(operationsFor("c", reading, { ...area, left: 0, right: 0 })![0]!.to).toBe("value");
  expect(operationsFor("o", reading, area)![0]!.to).toBe("row");
  expect(operationsFor("q", reading, area)).toBeNull();
});

test("the name before the cursor is what is completed", () => {
  expect(begunAt("select * from smo", 17)).toBe("smo");
  expect(begunAt('select "Sex, ra', 15)).toBe('"Sex, ra');
  expect(begunAt("select 1 + ", 11)).toBe("");
});

test("an answer is drawn by what its columns are", () => {
  const rows = (columns: string[], ...values: unknown[][]) => ({ columns, rows: values, more: false });
  expect(plan(rows(["year", "people"], [1990, 5], [1991, 6])).kind).toBe("line");
  expect(plan(rows(["town", "people"], ["Lyon", 5], ["Oslo", 6])).kind).toBe("bar");
  expect(plan(rows(["a", "b"], [1.5, 5], [2.5, 6])).kind).toBe("scatter");
  expect(plan(rows(["town", "latitude", "longitude"], ["Lyon", 45.7, 4.8])).kind).toBe("map");
  expect(plan(rows(["town"], ["Lyon"])).kind).toBe("none");
  expect(ticks(0, 100)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(moment("1990")).toBe(1990);
  expect(moment("north")).toBeNull();
});

test("places are drawn on a map, in shades with as many places each", () => {
  const rows = { columns: ["state", "people"], rows: [["Ohio", 1], ["Texas", 2], ["Utah", 3], ["Iowa", 4], ["Ohio", 3], ["all", 9]], more: false };
  const where = { column: 0, kind: "state" as const, codes: ["US-OH", "US-TX", "US-UT", "US-IA", "US-OH", null] };
  expect(plan(rows, undefined, where)).toMatchObject({ kind: "map", x: 0, ys: [1] });
  const places = byPlace(rows, where, 1);
  expect([...places].map(([code, one]) => [code, one.value])).toEqual([["US-OH", 2], ["US-TX", 2], ["US-UT", 3], ["US-IA", 4]]);
  expect(borders([1, 2, 3, 4, 5, 6])).toEqual([2, 3, 4, 5, 6]);
  expect([outlines.country.paths.FR, outlines.state.paths["US-CA"]].every((one) => /^M[-\d ]+l/.test(one))).toBe(true);
});

test("cells of a page are found again in their elements, whatever keeps them apart", () => {
  document.body.innerHTML = "<table><tr><td></td></tr><tr><th rowspan=2>a</th><th colspan=2>b</th></tr><tr><td>c</td><td>$</td><td> 1,2 </td></tr></table>";
  const said = [[0, 0, "a"], [0, 1, "b"], [1, 1, "c"], [1, 2, "$ 1,2"]].map(([row, column, text]) => ({ row: row as number, column: column as number, text: text as string }));
  const found = elementsOf(said, document.querySelector("table")!);
  expect([...found].map(([name, elements]) => `${name} ${elements.map((one) => one.textContent!.trim()).join("+")}`)).toEqual(["0,0 a", "0,1 b", "1,1 c", "1,2 $+1,2"]);
});

test("the texts of a page stand in their parts", () => {
  expect(inParts(["a", "b", "c", "d"], [3, 1])).toEqual([{ first: 0, texts: ["a"] }, { first: 1, texts: ["b", "c"] }, { first: 3, texts: ["d"] }]);
  expect(inParts(["a"], [])).toHaveLength(1);
});

test("a taxonomy is narrowed down to what matches and what stands above it", () => {
  const concept = (id: string, label: string, parent: string | null) => ({ id, label, labels: [label], parent, support: 1, sites: [], urls: [] });
  const concepts = [concept("1", "Sport", null), concept("2", "Football", "1"), concept("3", "News", null)];
  expect(outline(concepts, "foot").map(({ concept: one, depth }) => [one.label, depth])).toEqual([["Sport", 0], ["Football", 1]]);
  expect(outline(concepts, "")).toHaveLength(3);
});

test("parameters are names after a colon, not what stands in quotes or casts", () => {
  expect(parametersIn("select ':no', x::int from t where year = :year and place like :place -- :nor")).toEqual(["year", "place"]);
});
