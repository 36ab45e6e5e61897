import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { ask, query, send } from "../api";
import { Note } from "../parts";
import { message } from "../use";

interface Job { name: string; state: "waiting" | "reading" | "kept" | "failed"; said: string }
interface Kept { status: string; tables: number; tuples: number; note?: string }

/** Takes documents by drag and drop, by choice, by folder or by address, one after the other, and says what became of each. */
export function Upload({ enabled, done, children }: { enabled: boolean; done: () => void; children: ReactNode }) {
  const [jobs, setJobs] = useState<Job[]>([]);
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  if (!enabled) return <>{children}</>;

  const run = async (work: { name: string; keep: () => Promise<Kept> }[]) => {
    const first = jobs.length;
    setJobs((before) => [...before, ...work.map(({ name }): Job => ({ name, state: "waiting", said: "" }))]);
    const tell = (number: number, state: Job["state"], said: string) =>
      setJobs((before) => before.map((job, at) => (at === first + number ? { ...job, state, said } : job)));
    for (const [number, { keep }] of work.entries()) {
      tell(number, "reading", "reading …");
      try {
        const kept = await keep();
        tell(number, "kept", `${kept.status}: ${kept.tables} ${kept.tables === 1 ? "table" : "tables"}, ${kept.tuples.toLocaleString("en")} values`);
      } catch (error) {
        tell(number, "failed", message(error));
      }
    }
    done();
  };
  const take = (chosen: Iterable<File>) =>
    void run([...chosen].filter((one) => !one.name.startsWith(".")).map((one) => ({
      name: one.webkitRelativePath || one.name,
      keep: () => ask<Kept>(`/documents?${query({ name: (one.webkitRelativePath || one.name).replaceAll("/", " – ") })}`, { method: "POST", body: one, headers: { "content-type": "application/octet-stream" } }),
    })));
  const fetchAddress = (form: HTMLFormElement) => {
    const wanted = String(new FormData(form).get("address") ?? "").trim();
    if (wanted) void run([{ name: wanted, keep: () => send<Kept>("/documents/fetched", { address: wanted }) }]);
    form.reset();
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter((one) => one !== null && one !== undefined);
    const found = entries.some((one) => one.isDirectory) ? (await Promise.all(entries.map(filesOf))).flat() : [...event.dataTransfer.files];
    take(found);
  };
  const left = jobs.filter((job) => job.state === "waiting" || job.state === "reading").length;
  return (
    <div className={over ? "drop over" : "drop"} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={(event) => void drop(event)}>
      <div className="add">
        <span>Drop documents here, or</span>
        <button type="button" onClick={() => files.current?.click()}>Choose files</button>
        <button type="button" onClick={() => folder.current?.click()}>Choose a folder</button>
        <form onSubmit={(event) => { event.preventDefault(); fetchAddress(event.currentTarget); }}>
          <input name="address" type="url" aria-label="Address of a document" placeholder="https://…" /><button type="submit">Fetch</button>
        </form>
        <input ref={files} type="file" multiple hidden aria-label="Files" onChange={(event) => event.target.files && take(event.target.files)} />
        <input ref={(one) => { folder.current = one; one?.setAttribute("webkitdirectory", ""); }} type="file" multiple hidden aria-label="Folder" onChange={(event) => event.target.files && take(event.target.files)} />
      </div>
      {jobs.length > 0 && (
        <section aria-label="Documents that were sent" className="jobs">
          <Note>{left ? `${jobs.length - left} of ${jobs.length} read` : `${jobs.length} read, ${jobs.filter((job) => job.state === "failed").length} could not be`}</Note>
          <progress aria-label="Progress" max={jobs.length} value={jobs.length - left} />
          <ul>{jobs.map((job, number) => <li key={number} className={job.state}><b>{job.name}</b> {job.said}</li>)}</ul>
        </section>
      )}
      {children}
    </div>
  );
}

/** All files of a folder that was dropped. */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((good, bad) => (entry as FileSystemFileEntry).file(good, bad))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((good, bad) => reader.readEntries(good, bad));
    if (!some.length) return found;
    found.push(...(await Promise.all(some.map(filesOf))).flat());
  }
}
