// Small pieces that several screens are made of.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { percent } from "./places";

export const Note = ({ children, kind = "" }: { children: ReactNode; kind?: string }) => (
  <p className={`note ${kind}`} role={kind === "bad" ? "alert" : "status"}>{children}</p>
);

/** How sure a reading is: a bar, the figure, and a word for those who do not see colours. */
export function Sure({ share }: { share: number }) {
  const level = share >= 0.9 ? "sure" : share >= 0.6 ? "fair" : "doubt";
  return (
    <span className={`sure ${level}`} title={`Confidence ${percent(share)}: ${level === "doubt" ? "look at it" : level}`}>
      <span className="track" aria-hidden="true"><i style={{ width: `${Math.round(share * 100)}%` }} /></span>
      {percent(share)}
    </span>
  );
}

/** A role as people call it; programs know a row header as `stub` and a total as `derived`. */
export const roleName = (role: string): string => ({ stub: "row header", derived: "total" })[role] ?? role;

/** Text with the words that were found marked, as the index marks them: «so». */
export function Marked({ text }: { text: string }) {
  return <>{text.split(/(«[^»]*»)/).map((part, number) => part.startsWith("«") ? <mark key={number}>{part.slice(1, -1)}</mark> : part)}</>;
}

/** A dialog; the element marked with `data-first` has the focus when it opens, and what had it before when it closes. */
export function Dialog({ title, close, onKey, children }: { title: string; close: () => void; onKey?: (event: KeyboardEvent) => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = ref.current;
    const before = document.activeElement;
    if (shown?.showModal) shown.showModal();
    else shown?.setAttribute("open", "");
    shown?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onCancel={close} onKeyDown={onKey}>
      <header><h2>{title}</h2><button type="button" className="quiet" aria-label="Close" onClick={close}>✕</button></header>
      {children}
    </dialog>
  );
}

export function Tabs({ label, tabs, chosen, choose }: { label: string; tabs: [string, string][]; chosen: string; choose: (name: string) => void }) {
  const step = (by: number) => {
    const next = tabs[(tabs.findIndex(([name]) => name === chosen) + by + tabs.length) % tabs.length]!;
    choose(next[0]);
    document.getElementById(`tab-${next[0]}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className="tabs" onKeyDown={(event) => { if (event.key === "ArrowRight") step(1); else if (event.key === "ArrowLeft") step(-1); }}>
      {tabs.map(([name, text]) => (
        <button key={name} id={`tab-${name}`} type="button" role="tab" aria-selected={name === chosen} aria-controls="panel" tabIndex={name === chosen ? 0 : -1} onClick={() => choose(name)}>{text}</button>
      ))}
    </div>
  );
}
