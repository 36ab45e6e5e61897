import { useMemo, useState } from "react";
import { type Concept, type Instance, type MinedSite, ask, query } from "../api";
import { Note } from "../parts";
import { type Route, address } from "../route";
import { useLoaded } from "../use";

/** What was mined from websites: the taxonomy as a tree, instances as a table, each value with its page. */
export function Sites({ route }: { route: Route }) {
  const { value, error } = useLoaded<{ sites: MinedSite[] }>("sites", () => ask("/sites"));
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  if (!value.sites.length) return <><h1 className="unseen">Sites</h1><Note>Nothing was mined yet: <code>tabellion mine https://… --library DIR</code> keeps what it finds here.</Note></>;
  const site = value.sites.find((one) => one.name === route.name) ?? value.sites[0]!;
  return (
    <div className="sites">
      <h1 className="unseen">Sites</h1>
      <aside aria-label="Taxonomy">
        <label>Sites <select value={site.name} onChange={(event) => { location.hash = address("sites", event.target.value); }}>{value.sites.map((one) => <option key={one.name}>{one.name}</option>)}</select></label>
        <p className="dim">{site.concepts.length} concepts, {site.instances.toLocaleString("en")} instances, {site.sites.reduce((sum, one) => sum + one.pages, 0).toLocaleString("en")} pages</p>
        <Taxonomy site={site} chosen={route.values.concept ?? ""} />
      </aside>
      <Instances key={`${site.name} ${route.values.concept}`} site={site} concept={route.values.concept ?? ""} />
    </div>
  );
}

/** The concepts in the order of the tree, those that match and what stands above them. */
export function outline(concepts: Concept[], wanted: string): { concept: Concept; depth: number }[] {
  const byId = new Map(concepts.map((one) => [one.id, one]));
  const words = wanted.toLowerCase().trim();
  const kept = new Set<string>();
  for (const one of concepts) {
    if (words && !one.labels.concat(one.label).some((label) => label.toLowerCase().includes(words))) continue;
    for (let at: Concept | undefined = one; at && !kept.has(at.id); at = at.parent ? byId.get(at.parent) : undefined) kept.add(at.id);
  }
  const below = new Map<string | null, Concept[]>();
  for (const one of concepts) {
    const parent = one.parent && byId.has(one.parent) ? one.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), one]);
  }
  const found: { concept: Concept; depth: number }[] = [];
  const walk = (parent: string | null, depth: number): void => {
    for (const concept of below.get(parent) ?? []) if (kept.has(concept.id)) { found.push({ concept, depth }); if (depth < 20) walk(concept.id, depth + 1); }
  };
  walk(null, 0);
  return found;
}

function Taxonomy({ site, chosen }: { site: MinedSite; chosen: string }) {
  const [wanted, setWanted] = useState("");
  const shown = useMemo(() => outline(site.concepts, wanted).slice(0, 1000), [site, wanted]);
  return (
    <>
      <input type="search" aria-label="Search concepts" placeholder="Search concepts" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      <ul className="taxonomy" aria-label="Concepts">
        {shown.map(({ concept, depth }) => (
          <li key={concept.id} style={{ paddingLeft: depth * 14 }}><a href={address("sites", site.name, { concept: concept.id })} aria-current={chosen === concept.id ? "true" : undefined} title={concept.labels.join(", ")}>{concept.label}</a> <span className="dim">{concept.sites.length > 1 ? `${concept.sites.length} sites` : ""}</span></li>
        ))}
      </ul>
    </>
  );
}

function Instances({ site, concept }: { site: MinedSite; concept: string }) {
  const [shown, setShown] = useState(100);
  const { value, error } = useLoaded<{ total: number; instances: Instance[] }>(`${site.name} ${concept} ${shown}`, () => ask(`/sites/instances?${query({ name: site.name, concept, limit: shown })}`));
  const columns = useMemo(() => {
    const counted = new Map<string, number>();
    for (const one of value?.instances ?? []) for (const name of new Set(one.attributes.map((each) => each.label.join(" › ")))) counted.set(name, (counted.get(name) ?? 0) + 1);
    return [...counted].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([name]) => name);
  }, [value]);
  const named = site.concepts.find((one) => one.id === concept);
  if (error) return <Note kind="bad">{error}</Note>;
  if (!value) return <Note>Loading …</Note>;
  return (
    <section aria-label="Instances" className="scroll" tabIndex={0}>
      {named && <p className="dim">{named.labels.join(", ")} · {named.urls.slice(0, 3).map((url) => <Page key={url} source={url} text={url} />)}</p>}
      <table className="list tight">
        <caption>{value.total.toLocaleString("en")} instances{named ? ` of ${named.label}` : ""}</caption>
        <thead><tr><th scope="col">Page</th>{columns.map((name) => <th key={name} scope="col">{name || "no label"}</th>)}</tr></thead>
        <tbody>{value.instances.map((one) => (
          <tr key={one.id}>
            <td><Page source={one.source} text={one.source.split(/[\\/]/).filter(Boolean).pop() ?? one.source} /></td>
            {columns.map((name) => <td key={name}>{one.attributes.filter((each) => each.label.join(" › ") === name).slice(0, 3).map((each, number) => <div key={number}><Page source={one.source} text={each.value} said={each.path} /></div>)}</td>)}
          </tr>
        ))}</tbody>
      </table>
      {value.instances.length < value.total && shown < 1000 && <button type="button" onClick={() => setShown(Math.min(1000, shown + 200))}>More</button>}
    </section>
  );
}

/** A value that leads to its page; only web addresses become links. */
function Page({ source, text, said = "" }: { source: string; text: string; said?: string }) {
  if (!/^https?:\/\//.test(source)) return <span title={`${source} ${said}`}>{text}</span>;
  return <a href={said ? `${source}#:~:text=${encodeURIComponent(text.slice(0, 80))}` : source} target="_blank" rel="noreferrer noopener" title={said}>{text}</a>;
}
