// Starts the page: signs in, learns the words, shows the view that the address names.
import { ApiError, api } from "./api.js";
import { html, render, useEffect, useErrorBoundary, useState } from "./html.js";
import { follow, route } from "./router.js";
import { connection, meta, place, session, useStore } from "./store.js";
import { switchTheme, theme } from "./theme.js";
import { LANGUAGES, language, preferred, speak, t } from "./words.js";
import { Button, IconButton } from "./components/button.js";
import { Select } from "./components/field.js";
import { Icon } from "./components/icon.js";
import { lazy } from "./components/lazy.js";
import { Loading, Notice, announce } from "./components/notice.js";
import { Home } from "./views/home.js";
import { SignIn } from "./views/sign_in.js";

const views = {
  home: Home,
  project: lazy(
    () => import("./views/project.js"),
    (module) => module.ProjectView,
  ),
  run: lazy(
    () => import("./views/run.js"),
    (module) => module.RunView,
  ),
  counts: lazy(
    () => import("./views/counts.js"),
    (module) => module.CountsView,
  ),
  ledger: lazy(
    () => import("./views/ledger.js"),
    (module) => module.LedgerView,
  ),
  glossary: lazy(
    () => import("./views/glossary.js"),
    (module) => module.Glossary,
  ),
};

async function start() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) history.replaceState(null, "", location.pathname + location.search);
  await speak(preferred());
  let problem = null;
  try {
    // A code that was used up is no harm to whoever is signed in already.
    if (code) await api.post("/session", { code }).catch(() => null);
    session.set(await api.get("/session"));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) problem = error;
    else if (code) problem = { message: t("sign.code.used") };
  }
  follow();
  render(html`<${App} problem=${problem} />`, document.getElementById("app"));
}

function App({ problem }) {
  const who = useStore(session);
  const tongue = useStore(language);
  const about = useStore(meta);
  const [broken, setBroken] = useState(null);
  const [error, mend] = useErrorBoundary((caught) => console.error(caught));
  const path = useStore(place);
  const { view, ...named } = route(path);

  useEffect(() => {
    if (who) api.get(`/meta?language=${tongue}`).then(meta.set, setBroken);
  }, [who?.user, tongue]);
  useEffect(() => mend(), [path]);

  const Shown = views[view] ?? NotFound;
  const content = !who
    ? html`<${SignIn} problem=${problem} />`
    : error
      ? html`<${Notice} kind="bad" actions=${html`<${Button} small onClick=${() => location.reload()}>${t("app.reload")}<//>`}><p>${t("app.broken")}</p><//>`
      : broken
        ? html`<${Notice} kind="bad"><p>${broken.message}</p><//>`
        : about || view === "home" || view === "glossary"
          ? html`<${Shown} key=${`${view}/${named.id ?? ""}`} ...${named} meta=${about} />`
          : html`<${Loading} />`;
  return html`
    <a class="skip" href="#main" onClick=${toMain}>${t("app.skip")}</a>
    <${Top} who=${who} view=${view} />
    <${Lost} />
    <main id="main" tabindex="-1">${content}</main>
  `;
}

function Top({ who, view }) {
  const look = useStore(theme);
  const tongue = useStore(language);
  const leave = async () => {
    await api.del("/session").catch(() => null);
    session.set(null);
  };
  return html`<header class="top">
    <a class="brand" href="/"><${Mask} /><span class="brand-name">antifaz</span></a>
    ${
      who &&
      html`<nav aria-label=${t("app.nav")}>
      <a href="/" aria-current=${view === "home" ? "page" : undefined}>${t("app.projects")}</a>
      <a href="/ledger" aria-current=${view === "ledger" ? "page" : undefined}>${t("ledger.name")}</a>
      <a href="/glossary" aria-current=${view === "glossary" ? "page" : undefined}>${t("app.glossary")}</a>
    </nav>`
    }
    <div class="top-end">
      <${Select} aria-label=${t("app.language")} value=${tongue} options=${Object.entries(LANGUAGES)}
        onChange=${(tag) => speak(tag, true)} />
      <${IconButton} icon=${look === "dark" ? "sun" : "moon"}
        label=${t(look === "dark" ? "app.theme.light" : "app.theme.dark")} onClick=${switchTheme} />
      ${who?.accounts && html`<${Button} small onClick=${leave}>${t("app.sign.out", { user: who.user })}<//>`}
    </div>
  </header>`;
}

function Lost() {
  const state = useStore(connection);
  useEffect(() => {
    if (state === "lost") announce(t("app.lost.waiting"), true);
  }, [state]);
  return state === "lost" ? html`<div class="lost"><${Icon} name="wait" />${t("app.lost.waiting")}</div>` : null;
}

function NotFound() {
  return html`<div class="page narrow"><h1>${t("app.not.found")}</h1><p>${t("app.not.found.text")} <a href="/">${t("app.projects")}</a></p></div>`;
}

function Mask() {
  return html`<svg width="30" height="30" viewBox="0 0 32 32" fill="currentColor" aria-hidden="true"><path fill-rule="evenodd"
    d="M2 12c0-4 3-6 7-6 3 0 5 1 7 1s4-1 7-1c4 0 7 2 7 6 0 7-4 14-9 14-2.600 0-3.400-2.500-5-2.500S13.600 26 11 26C6 26 2 19 2 12zM7 14.500c1 3 5.500 3 6.500.500-1.500-3-5.500-2.500-6.500-.500zm18 0c-1 3-5.500 3-6.500.500 1.500-3 5.500-2.500 6.500-.500z"/></svg>`;
}

function toMain(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

start();
