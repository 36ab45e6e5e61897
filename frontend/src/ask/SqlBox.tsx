// A box for SQL that completes names: relations, and columns of the relations that the question names.
import { type KeyboardEvent, useRef, useState } from "react";
import { ask, query } from "../api";

const WORDS = "select from where group by order having limit join left using on as and or not in between like is null distinct count sum avg min max case when then else end with union all".split(" ");

/** The name that is being typed before the cursor. */
export function begunAt(text: string, cursor: number): string {
  return /(?:"[^"]*|[\p{L}_][\p{L}\p{N}_]*)$/u.exec(text.slice(0, cursor))?.[0] ?? "";
}

export function SqlBox({ value, change, submit }: { value: string; change: (text: string) => void; submit: () => void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const [names, setNames] = useState<string[]>([]);
  const [at, setAt] = useState(0);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const asked = useRef(0);

  const offer = async () => {
    const here = box.current!;
    const begun = begunAt(here.value, here.selectionStart);
    const turn = ++asked.current;
    if (!begun) return setNames([]);
    const { names: found } = await ask<{ names: string[] }>(`/completion?${query({ begun: begun.replace(/^"/, ""), sql: here.value })}`).catch(() => ({ names: [] }));
    if (turn !== asked.current) return;
    const all = [...found, ...WORDS.filter((word) => word.startsWith(begun.toLowerCase()))].filter((name) => name !== begun).slice(0, 12);
    const before = here.value.slice(0, here.selectionStart).split("\n");
    setPlace({ left: Math.min(here.clientWidth - 190, 10 + (before.at(-1)!.length - begun.length) * 8.1), top: 10 + before.length * 20.3 - here.scrollTop });
    setNames(all);
    setAt(0);
  };
  const take = (name: string) => {
    const here = box.current!;
    const begun = begunAt(here.value, here.selectionStart);
    const start = here.selectionStart - begun.length;
    change(here.value.slice(0, start) + name + here.value.slice(here.selectionStart));
    setNames([]);
    requestAnimationFrame(() => { here.focus(); here.setSelectionRange(start + name.length, start + name.length); });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); setNames([]); return submit(); }
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); return void offer(); }
    if (!names.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); setAt((at + (event.key === "ArrowDown" ? 1 : names.length - 1)) % names.length); }
    else if (event.key === "Tab" || event.key === "Enter") { event.preventDefault(); take(names[at]!); }
    else if (event.key === "Escape") { event.preventDefault(); setNames([]); }
  };
  return (
    <div className="sql">
      <textarea ref={box} value={value} aria-label="SQL" aria-autocomplete="list" aria-controls="names" aria-activedescendant={names.length ? `name-${at}` : undefined} spellCheck={false} autoCapitalize="off"
        onChange={(event) => { change(event.target.value); void offer(); }} onKeyDown={onKey} onBlur={() => setTimeout(() => setNames([]), 150)} />
      <ul id="names" role="listbox" aria-label="Names" className="complete" hidden={!names.length} style={place}>
        {names.map((name, number) => <li key={name} id={`name-${number}`} role="option" aria-selected={number === at} onMouseDown={(event) => { event.preventDefault(); take(name); }}>{name}</li>)}
      </ul>
    </div>
  );
}
