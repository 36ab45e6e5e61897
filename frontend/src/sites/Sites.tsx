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
  if (!value.sites.length) return <><h1 className="unseen">Sites</h1><Note>Nothing here yet. <code>tabellion mine https://… --library DIR</code> stores the tables of websites.</Note></>;
  const site = value.sites.find((one) => one.name === route.name) ?? value.sites[0]!;
  const concept = route.values.concept ?? fullest(site);
  return (
    <div className="sites">
      <h1 className="unseen">Sites</h1>
      <aside aria-label="Taxonomy">
        <label>Sites <select value={site.name} onChange={(event) => { location.hash = address("sites", event.target.value); }}>{value.sites.map((one) => <option key={one.name}>{one.name}</option>)}</select></label>
        <p className="dim">{site.concepts.length} concepts, {site.instances.toLocaleString("en")} instances, {site.sites.reduce((sum, one) => sum + one.pages, 0).toLocaleString("en")} pages</p>
        {site.concepts.length > 0 && <Taxonomy site={site} chosen={concept} />}
      </aside>
      <Instances key={`${site.name} ${concept}`} site={site} concept={concept} />
    </div>
  );
}

/** The concept with the most instances, which says most of what was found; none where no instance has one. */
const fullest = (site: MinedSite): string => Object.entries(site.counts).reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0] as [string, number])[0];

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

const count = (number: number, what: string): string => (number ? `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}` : "");

function Taxonomy({ site, chosen }: { site: MinedSite; chosen: string }) {
  const [wanted, setWanted] = useState("");
  const shown = useMemo(() => outline(site.concepts, wanted).slice(0, 1000), [site, wanted]);
  return (
    <>
      <input type="search" aria-label="Search concepts" placeholder="Search concepts" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      <ul className="taxonomy" aria-label="Concepts">
        {shown.map(({ concept, depth }) => (
          <li key={concept.id} style={{ paddingLeft: depth * 14 }}><a href={address("sites", site.name, { concept: concept.id })} aria-current={chosen === concept.id ? "true" : undefined} title={concept.labels.join(", ")}>{concept.label}</a> <span className="dim" title={concept.sites.join(", ")}>{[count(site.counts[concept.id] ?? 0, "instance"), concept.sites.length > 1 ? `${concept.sites.length} sites` : ""].filter(Boolean).join(", ")}</span></li>
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
  const more = new Set(value.instances.flatMap((one) => one.attributes.map((each) => each.label.join(" › ")))).size - columns.length;
  return (
    <section aria-label="Instances" className="scroll" tabIndex={0}>
      {named && named.labels.length > 1 && <p className="dim">Also called {named.labels.filter((one) => one !== named.label).join(", ")}</p>}
      {named && named.urls.length > 0 && <ul className="places">{named.urls.slice(0, 5).map((url) => <li key={url}><Page name={site.name} source={url} text={url.replace(/^https?:\/\//, "")} /></li>)}</ul>}
      {!value.total ? <Note>No instance is of {named?.label ?? "these sites"} itself.</Note> : (
        <table className="list tight">
          <caption>{count(value.total, "instance")}{named ? ` of ${named.label}` : ""}{more > 0 ? `, ${more} more attributes in SQL` : ""}</caption>
          <thead><tr><th scope="col">Page</th>{columns.map((name) => <th key={name} scope="col">{name || <i>no label</i>}</th>)}</tr></thead>
          <tbody>{value.instances.map((one) => (
            <tr key={one.id}>
              <td><Page name={site.name} source={one.source} text={one.source.replace(/^https?:\/\//, "").split(/[\\/]/).filter(Boolean).slice(-2).join("/")} /></td>
              {columns.map((label) => <td key={label}>{one.attributes.filter((each) => each.label.join(" › ") === label).slice(0, 3).map((each, number) => <div key={number} className="clamp"><Page name={site.name} source={one.source} text={each.value} said={each.path} /></div>)}</td>)}
            </tr>
          ))}</tbody>
        </table>
      )}
      {value.instances.length < value.total && shown < 1000 && <button type="button" onClick={() => setShown(Math.min(1000, shown + 200))}>More</button>}
    </section>
  );
}

/** A value that leads to its page, where it is marked: on the web, or as it was saved. */
function Page({ name, source, text, said = "" }: { name: string; source: string; text: string; said?: string }) {
  const home = /^https?:\/\//.test(source) ? source : `/sites/page?${query({ name, source })}`;
  return <a className={said ? "value" : ""} href={said ? `${home}#:~:text=${encodeURIComponent(text.slice(0, 80))}` : home} target="_blank" rel="noreferrer noopener" title={said || source}>{text}</a>;
}
