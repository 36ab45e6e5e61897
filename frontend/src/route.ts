// Where the app is: the part of the address after #. Every state that is worth sending to somebody stands there.
import { useSyncExternalStore } from "react";

export interface Route { page: string; name: string; values: Record<string, string> }

export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { page: page || "find", name: rest.join("/"), values: Object.fromEntries(new URLSearchParams(search)) };
}

export function address(page: string, name = "", values: Record<string, string | number | null | undefined> = {}): string {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(kept.map(([key, value]) => [key, String(value)])).toString();
  return `#/${page}${name ? `/${encodeURIComponent(name)}` : ""}${search ? `?${search}` : ""}`;
}

export function go(to: string, replace = false): void {
  if (replace) {
    history.replaceState(null, "", to);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

const listen = (told: () => void): (() => void) => {
  window.addEventListener("hashchange", told);
  return () => window.removeEventListener("hashchange", told);
};
let last = { hash: "\0", route: parseRoute("") };
const current = (): Route => {
  if (location.hash !== last.hash) last = { hash: location.hash, route: parseRoute(location.hash) };
  return last.route;
};
export const useRoute = (): Route => useSyncExternalStore(listen, current);
