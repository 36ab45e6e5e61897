import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Login } from "../Login";
import { Marked, Sure, Tabs } from "../parts";
import { Trees } from "../look/Trees";
import { Plot } from "../ask/Plot";
import type { Reading } from "../api";

afterEach(cleanup);

test("words that were found are marked, and nothing in a text becomes an element", () => {
  const { container } = render(<Marked text={'<img src=x> who «smoke» here'} />);
  expect(container.querySelector("mark")?.textContent).toBe("smoke");
  expect(container.querySelector("img")).toBeNull();
});

test("doubt is told in words too", () => {
  render(<Sure share={0.42} />);
  expect(screen.getByText("42 %").getAttribute("title")).toContain("look at it");
});

test("tabs are gone through with the arrows", () => {
  const choose = vi.fn();
  render(<Tabs label="Views" tabs={[["a", "A"], ["b", "B"]]} chosen="a" choose={choose} />);
  fireEvent.keyDown(screen.getByRole("tablist"), { key: "ArrowRight" });
  expect(choose).toHaveBeenCalledWith("b");
});

test("a header is picked up, and put under another, with keys alone", () => {
  const moveHeader = vi.fn();
  const nodes = ["all", "north", "port"].map((text, id) => ({ id, text, parent: id ? id - 1 : null, cells: [[id + 4, 0]] as [number, number][], probability: 1 }));
  const reading = { left: nodes, top: [], nodes: [0, 3] } as unknown as Reading;
  render(<Trees reading={reading} before={null} chosen={null} litPath={new Set()} editable choose={() => undefined} moveHeader={moveHeader} />);
  const tree = screen.getByRole("tree");
  for (const key of ["End", "m", "Home", "Enter"]) fireEvent.keyDown(tree, { key });
  expect(moveHeader).toHaveBeenCalledWith("left", [6, 0], [4, 0]);
  for (const key of ["End", "0"]) fireEvent.keyDown(tree, { key });
  expect(moveHeader).toHaveBeenLastCalledWith("left", [6, 0], null);
});

test("a plot says what it shows", () => {
  render(<Plot kind="bar" rows={{ columns: ["town", "people"], rows: [["Lyon", 5], ["Oslo", 7]], more: false }} />);
  expect(screen.getByRole("img").getAttribute("aria-label")).toBe("bar plot of people over town");
});

test("a wrong token is told, a right one opens", async () => {
  const done = vi.fn();
  vi.stubGlobal("fetch", vi.fn(async (_: string, init: RequestInit) => String(init.body).includes("right") ? new Response('{"write":true,"author":null}') : new Response('{"detail":"this is not the token"}', { status: 401 })));
  render(<Login said="a token is needed" done={done} />);
  const give = (token: string) => { fireEvent.change(screen.getByLabelText("Token"), { target: { value: token } }); fireEvent.submit(screen.getByRole("button").closest("form")!); };
  give("wrong");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("this is not the token"));
  give("right");
  await waitFor(() => expect(done).toHaveBeenCalledWith({ write: true, author: null }));
  vi.unstubAllGlobals();
});
