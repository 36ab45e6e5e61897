import { type CellFacts, type CellWindow, type Early, type HeaderNode, type Reading, Refused, type Standing, sendStroke } from "../api";
import { Cells } from "../look/cells";
import { Paths, litBy, runsOf } from "../look/lighting";
import { inWords, standsAs } from "../look/Panels";
import { holder } from "../look/Row";

afterEach(() => vi.unstubAllGlobals());
const node = (id: number, parent: number | null, cell: [number, number]): HeaderNode => ({ id, text: String(id), parent, cells: [cell], probability: 1 });
const reading = {
  left: [node(0, null, [4, 0]), node(1, 0, [5, 0]), node(2, 0, [6, 0])], top: [node(0, null, [3, 1]), node(1, null, [3, 2])],
  row_nodes: [[4, 0], [5, 1], [6, 2]], column_nodes: [[1, 0], [2, 1]],
} as unknown as Reading;

test("a value lights up its headers and a header its values, without asking", () => {
  const paths = new Paths(reading);
  expect([...paths.light(5, 2, "value").cells]).toEqual(["5,0", "4,0", "3,2"]);
  expect(paths.light(4, 0, "stub").header).toEqual({ rows: [[4, 6]], columns: [[1, 2]] });
  expect(paths.light(3, 1, "header").header).toEqual({ rows: [[4, 6]], columns: [[1, 1]] });
  expect(paths.light(0, 0, "title")).toEqual({ cells: new Set(), header: null });
  expect(runsOf([7, 1, 2, 3])).toEqual([[1, 3], [7, 7]]);
});

test("what the server says is lit is drawn again only where it differs", () => {
  const likely = new Paths(reading).light(5, 2, "value");
  const facts = { tuple: { left_cells: [[4, 0], [5, 0]], top_cells: [[3, 2]] }, header: null } as unknown as CellFacts;
  expect(litBy(facts, likely)).toBe(likely);
  const other = { tuple: { left_cells: [[5, 0]], top_cells: [[3, 2]] }, header: null } as unknown as CellFacts;
  expect([...litBy(other, likely).cells]).toEqual(["5,0", "3,2"]);
});

test("columns of a row are given as runs", () => {
  expect([0, 1, 2, 3, 7].map(holder("1-2,7-7"))).toEqual([false, true, true, false, true]);
  expect(holder("")(0)).toBe(false);
});

test("after a stroke only the rows that changed are drawn again", async () => {
  const look = { bold: false } as unknown as CellWindow["styles"][number];
  const window = (role: string): CellWindow => ({ rows: 2, columns: 1, styles: [{ ...look }], cells: [{ row: 0, column: 0, text: "a", role: "header" }, { row: 1, column: 0, text: "b", role: role as "value" }] });
  vi.stubGlobal("fetch", vi.fn(async () => new Response(JSON.stringify(window("value")))));
  const cells = new Cells("t", "");
  cells.version = 0;
  const told = vi.fn();
  cells.listen(told);
  cells.want({ top: 0, left: 0, bottom: 1, right: 0 });
  await vi.waitFor(() => expect(cells.at(1, 0)?.role).toBe("value"));
  const stamps = () => [0, 1].map((row) => cells.stamp(row));
  expect(stamps()).toEqual([1, 1]);
  await Promise.resolve(); // the tile is of this version now
  cells.put(window("derived"), { top: 0, left: 0, bottom: 1, right: 0 });
  expect(stamps()).toEqual([1, 2]);
  expect([cells.at(0, 0)!.changed, cells.at(1, 0)!.changed]).toEqual([false, true]);
  cells.put(window("derived"), { top: 0, left: 0, bottom: 1, right: 0 });
  expect(told).toHaveBeenCalledTimes(2);
});

const streamed = (...pieces: string[]) => vi.stubGlobal("fetch", vi.fn(async () => new Response(new ReadableStream({ start(stream) { for (const one of pieces) stream.enqueue(new TextEncoder().encode(one)); stream.close(); } }))));

test("a stroke is drawn as soon as it is read again, and made when it is kept", async () => {
  const drawn: Early[] = [];
  streamed('event: drawn\ndata: {"ver', 'sion":1}\n\nevent: ma', 'de\ndata: {"version":1,"corrections":[]}\n\n');
  expect((await sendStroke("/x", {}, (early) => drawn.push(early))).version).toBe(1);
  expect(drawn).toEqual([{ version: 1 }]);
  streamed('event: drawn\ndata: {}\n\nevent: refused\ndata: {"status":409,"detail":"ada"}\n\n');
  await expect(sendStroke("/x", {}, () => undefined)).rejects.toEqual(new Refused(409, "ada"));
  streamed('event: drawn\ndata: {}\n\n');
  await expect(sendStroke("/x", {}, () => undefined)).rejects.toThrow("broke off");
});

test("the history says in words what was taken back, and by whom", () => {
  const standing = (id: string, author: string, operation: Standing["operation"], state = "in force", note: string | null = null): Standing => ({ id, words: `words of ${id}`, operation, place: {}, author, made: "", like: null, state, note });
  const [one, two, three] = ["aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa3"] as const;
  const all = [standing(one, "ada", { do: "row-role" }, "undone", `by ${two}`), standing(two, "bob", { do: "undo", correction: one }), standing(three, "eve", { do: "undo", correction: two })];
  expect(all.map((each) => inWords(each, all))).toEqual([`words of ${one}`, `Took back: words of ${one}`, `Brought back: words of ${one}`]);
  expect(standsAs(all[0]!, all)).toBe("undone by bob");
  expect(standsAs(standing("x", "eve", { do: "row-role" }, "conflict", `with ${one} by ada, who gave another value before`), all)).toBe("conflict with ada, who gave another value before");
});
