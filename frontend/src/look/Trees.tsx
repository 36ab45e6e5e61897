// The two header trees: drag a header under another one, or pick it up with m and put it down with Enter.
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { HeaderNode, Reading, Side } from "../api";
import { a1 } from "../places";
import { dragging } from "./Grid";

const LINE = 24;

export interface TreesProps {
  reading: Reading; before: Reading | null; chosen: string | null; litPath: Set<string>; editable: boolean;
  choose: (cell: [number, number]) => void; moveHeader: (side: Side, from: [number, number], to: [number, number] | null) => void;
}

export const Trees = memo(function Trees(props: TreesProps) {
  const { reading } = props;
  return (
    <div className="trees">
      {(["left", "top"] as const).map((side) => (
        <section key={side} aria-label={side === "left" ? "Headers at the left" : "Headers on top"}>
          <h2>{side === "left" ? "Row headers" : "Column headers"} <span className="dim">{count(reading, side)}</span></h2>
          {reading[side].length ? <Tree {...props} side={side} nodes={reading[side]} old={props.before?.[side] ?? null} /> : <p className="dim">none</p>}
          {reading.nodes[side === "left" ? 1 : 0] > reading[side].length && <p className="dim">The first {reading[side].length.toLocaleString("en")} are shown.</p>}
        </section>
      ))}
    </div>
  );
});

const count = (reading: Reading, side: Side): number => reading.nodes[side === "left" ? 1 : 0];

interface Shown { node: HeaderNode; depth: number; children: boolean }

/** The nodes in the order of a tree, without what is folded away. */
export function flatten(nodes: HeaderNode[], folded: ReadonlySet<number>): Shown[] {
  const below = new Map<number | null, HeaderNode[]>();
  for (const node of nodes) below.set(node.parent, [...(below.get(node.parent) ?? []), node]);
  const found: Shown[] = [];
  const stack = (below.get(null) ?? []).map((node) => ({ node, depth: 0 })).reverse();
  while (stack.length) {
    const { node, depth } = stack.pop()!;
    const children = below.get(node.id) ?? [];
    found.push({ node, depth, children: children.length > 0 });
    if (!folded.has(node.id)) for (const child of [...children].reverse()) stack.push({ node: child, depth: depth + 1 });
  }
  return found;
}

interface NodeProps { side: Side; id: number; text: string; cell: string; sure: number; place: number; depth: number; open: boolean | null; classes: string; selected: boolean; editable: boolean; act: (place: number, folding: boolean) => void; moveHeader: TreesProps["moveHeader"] }

/** One header, given plain values alone: most of them stay as they are after a stroke. */
const Node = memo(function Node({ side, id, text, cell, sure, place, depth, open, classes, selected, editable, act, moveHeader }: NodeProps) {
  const here = cell.split(",").map(Number) as [number, number];
  return (
    <div id={`${side}-node-${id}`} role="treeitem" aria-level={depth + 1} aria-expanded={open ?? undefined} aria-selected={selected} className={`node ${classes}`} style={{ top: place * LINE, paddingLeft: 6 + depth * 16 }}
      title={`${a1(...here)} · ${sure} % sure of its parent`} onClick={() => act(place, false)} {...(editable ? dragging(side, here, moveHeader) : {})}>
      <span className="fold" aria-hidden="true" onClick={(event) => { event.stopPropagation(); act(place, true); }}>{open === null ? "" : open ? "▾" : "▸"}</span>
      {text || <i className="dim">empty</i>}
    </div>
  );
});

const nameOf = (node: HeaderNode): string => `${node.cells[0]![0]},${node.cells[0]![1]}`;

/** The cells of the parent of each header, by its own cell: what is compared to see what a stroke has changed. */
export function parents(nodes: HeaderNode[]): Map<string, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Map(nodes.map((node) => [nameOf(node), node.parent === null ? "" : nameOf(byId.get(node.parent)!)]));
}

function Tree({ side, nodes, old, chosen, litPath, editable, choose, moveHeader }: TreesProps & { side: Side; nodes: HeaderNode[]; old: HeaderNode[] | null }) {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [held, setHeld] = useState<HeaderNode | null>(null);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  const shown = useMemo(() => flatten(nodes, folded), [nodes, folded]);
  const changed = useMemo(() => {
    if (!old) return new Set<string>();
    const before = parents(old);
    return new Set([...parents(nodes)].filter(([name, parent]) => before.get(name) !== parent).map(([name]) => name));
  }, [nodes, old]);
  useEffect(() => {
    const number = shown.findIndex(({ node }) => node.cells.some(([row, column]) => `${row},${column}` === chosen));
    if (number < 0 || !box.current) return;
    setAt(number);
    const [y, here] = [number * LINE, box.current];
    if (y < here.scrollTop || y + LINE > here.scrollTop + here.clientHeight) here.scrollTop = y - here.clientHeight / 2;
  }, [chosen]); // eslint-disable-line
  const first = Math.max(0, Math.floor(seen.top / LINE) - 10);
  const last = Math.min(shown.length, Math.ceil((seen.top + seen.height) / LINE) + 10);
  const put = (to: HeaderNode | null) => {
    if (held) moveHeader(side, held.cells[0]!, to ? to.cells[0]! : null);
    setHeld(null);
  };
  const fold = (node: HeaderNode, yes: boolean) => setFolded((before) => { const next = new Set(before); if (yes) next.add(node.id); else next.delete(node.id); return next; });
  const onKey = (event: KeyboardEvent) => {
    const one = shown[at];
    if (!one) return;
    const to = (number: number) => setAt(Math.max(0, Math.min(shown.length - 1, number)));
    const keys: Record<string, () => void> = {
      ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), Home: () => to(0), End: () => to(shown.length - 1),
      ArrowLeft: () => fold(one.node, true), ArrowRight: () => fold(one.node, false), " ": () => choose(one.node.cells[0]!),
      Enter: () => (held ? put(one.node) : choose(one.node.cells[0]!)),
      ...(editable ? { m: () => setHeld(one.node), "0": () => held ? put(null) : moveHeader(side, one.node.cells[0]!, null) } : {}),
      ...(held ? { Escape: () => setHeld(null) } : {}),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const latest = useRef({ shown, held, put, fold, folded });
  latest.current = { shown, held, put, fold, folded };
  const act = useCallback((place: number, folding: boolean) => {
    const { shown: now, held: up, put: down, fold: turn, folded: isFolded } = latest.current;
    const one = now[place];
    if (!one) return;
    if (folding) return turn(one.node, !isFolded.has(one.node.id));
    setAt(place);
    if (up && up.id !== one.node.id) down(one.node);
    else choose(one.node.cells[0]!);
  }, [choose]);
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    const y = at * LINE;
    if (y < here.scrollTop) here.scrollTop = y;
    else if (y + LINE > here.scrollTop + here.clientHeight) here.scrollTop = y + LINE - here.clientHeight;
  }, [at]);
  return (
    <>
      <div ref={box} className="tree" role="tree" aria-label={`${side} headers`} tabIndex={0} aria-activedescendant={shown[at] ? `${side}-node-${shown[at].node.id}` : undefined} onKeyDown={onKey} onScroll={(event) => setSeen({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
        onDragOver={(event) => event.preventDefault()}>
        <div role="presentation" style={{ height: shown.length * LINE, position: "relative" }}>
          {shown.slice(first, last).map(({ node, depth, children }, number) => {
            const name = nameOf(node);
            const classes = [first + number === at ? "at" : "", node.cells.some((cell) => String(cell) === chosen) ? "on" : "", litPath.has(name) ? "lit" : "", held?.id === node.id ? "held" : "", changed.has(name) ? "flash" : "", node.probability < 0.6 ? "doubt" : ""];
            return <Node key={node.id} side={side} id={node.id} text={node.text} cell={name} sure={Math.round(node.probability * 100)} place={first + number} depth={depth} open={children ? !folded.has(node.id) : null} classes={classes.filter(Boolean).join(" ")} selected={first + number === at} editable={editable} act={act} moveHeader={moveHeader} />;
          })}
        </div>
      </div>
      {editable && (
        <div className="root-drop" onDragOver={(event) => event.preventDefault()} onDrop={(event) => {
          event.preventDefault();
          const [from, row, column] = JSON.parse(event.dataTransfer.getData("text/x-header") || "[]") as [Side, number, number];
          if (from === side) moveHeader(side, [row, column], null);
        }}>{held ? `“${held.text}” is picked up: Enter puts it under the header at the cursor, 0 no parent, Escape leaves it` : "Drop here: no parent"}</div>
      )}
    </>
  );
}
