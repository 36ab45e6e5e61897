import { StrictMode, Suspense, lazy, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { type Session, ask, send } from "./api";
import { Find } from "./find/Find";
import { address, useRoute } from "./route";
import { Login } from "./Login";
import { Note } from "./parts";
import "./style.css";
import { useKept } from "./use";

const Look = lazy(() => import("./look/Look").then((one) => ({ default: one.Look })));
const Ask = lazy(() => import("./ask/Ask").then((one) => ({ default: one.Ask })));
const Sites = lazy(() => import("./sites/Sites").then((one) => ({ default: one.Sites })));
const Annotate = lazy(() => import("./annotate/Annotate").then((one) => ({ default: one.Annotate })));
const PAGES: [string, string][] = [["find", "Find"], ["ask", "Query"], ["sites", "Sites"], ["annotate", "Annotate"]];
const THEMES = ["auto", "light", "dark"];

/** The token of the opened address, taken out of it. */
function takeToken(): string | null {
  const found = /^#token=([^&/]+)/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", "#/find");
  return decodeURIComponent(found[1]!);
}

async function enter(): Promise<Session> {
  const token = takeToken();
  return token ? send<Session>("/session", { token }) : ask<Session>("/session");
}
const entering = enter();

function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [theme, setTheme] = useKept("theme", "auto");
  const route = useRoute();
  useEffect(() => void entering.then(setSession, (error: Error) => setRefused(error.message)), []);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const named = PAGES.find(([page]) => page === route.page)?.[1];
    document.title = route.name ? `${route.name} · tabellion` : `${named ?? "Table"} · tabellion`;
  }, [route]);
  return (
    <>
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header className="bar">
        <a className="brand" href="#/find">tabellion</a>
        <nav aria-label="Screens">
          {PAGES.map(([page, label]) => (
            <a key={page} href={address(page)} aria-current={route.page === page ? "page" : undefined}>{label}</a>
          ))}
        </nav>
        <span className="grow" />
        <button type="button" className="quiet" onClick={() => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % 3]!)} aria-label={`Colours: ${theme}`} title={`Colours: ${theme}`}>
          {theme === "auto" ? "◐" : theme === "light" ? "☀" : "☾"}
        </button>
      </header>
      <main id="main" tabIndex={-1} className={`page-${route.page}`}>
        {session ? (
          <Suspense fallback={<Note>Loading …</Note>}>
            {route.page === "table" ? <Look session={session} route={route} /> :
              route.page === "ask" ? <Ask session={session} route={route} /> :
              route.page === "sites" ? <Sites route={route} /> :
              route.page === "annotate" ? <Annotate session={session} route={route} /> :
              <Find session={session} route={route} />}
          </Suspense>
        ) : refused ? <Login said={refused} done={setSession} /> : <Note>Loading …</Note>}
      </main>
    </>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
