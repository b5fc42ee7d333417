// Runs as the page knows them: one list for all steps, kept up to date by events, so that changing the step, a reload
// or a second tab loses nothing.
import { api } from "./api.js";
import { useEffect, useState } from "./html.js";
import { language, t } from "./words.js";

const ENDED = new Set(["done", "failed", "cancelled", "interrupted"]);
const known = new Map();
const stops = new Map();
const listeners = new Set();
/** Runs that this page saw at work: only their end is told. */
const seen = new Set();

export const hasEnded = (run) => ENDED.has(run.state);

function put(run) {
  const before = known.get(run.id);
  known.set(run.id, run);
  if (!hasEnded(run)) {
    seen.add(run.id);
    watch(run.id);
  } else if (before && !hasEnded(before) && seen.has(run.id)) tellEnd(run);
  listeners.forEach((listener) => listener());
}

function watch(id) {
  if (stops.has(id)) return;
  stops.set(id, api.events(id, put, (last) => {
    stops.delete(id);
    if (!last?.id) refresh(id);
  }));
}

async function refresh(id) {
  try {
    put(await api.get(`/runs/${id}`));
  } catch (error) {
    if (error.status === 404 || error.status === 410) forget(id);
  }
}

function forget(id) {
  stops.get(id)?.();
  stops.delete(id);
  known.delete(id);
  listeners.forEach((listener) => listener());
}

/** Say that a run has ended: in the title of the page, and by the browser where the person allowed it. */
function tellEnd(run) {
  const said = t(`run.told.${stateOf(run)}`, { what: kindTitle(run) });
  if (document.hidden) {
    const title = document.title;
    document.title = `${run.state === "done" ? "✓" : "!"} ${said}`;
    document.addEventListener("visibilitychange", () => { document.title = title; }, { once: true });
    if (globalThis.Notification?.permission === "granted") new Notification("antifaz", { body: said });
  }
  listeners.forEach((listener) => listener(run, said));
}

export const kindTitle = (run) => t(`run.kind.${isCopy(run) ? "table" : run.kind}`);

/** Where a run is shown: tables of counts have a page of their own. */
export function placeOf(run) {
  const table = run.asked?.table ? `/${encodeURIComponent(run.asked.table)}` : "";
  return run.kind === "tabulate" ? `/p/${run.project}/counts${table}` : `/p/${run.project}/run`;
}

/** How a run ended, or where it is: that privacy was not reached is not that it could not be done. */
export const stateOf = (run) => (run.state === "failed" && run.error?.code === "privacy-not-reached" ? "unreached" : run.state);

/** How many seconds a run took. */
export const took = (run) => Math.max(0, (Date.parse(run.ended) - Date.parse(run.began ?? run.queued)) / 1000);

/** How many seconds the last of the same kind took in the same project, or null. */
export function lastTook(run) {
  const before = [...known.values()].filter((one) => one.project === run.project && one.kind === run.kind && one.state === "done");
  return before.length ? took(before.reduce((a, b) => (a.queued > b.queued ? a : b))) : null;
}

/** Start work on a project; returns the run. */
export async function start(project, body) {
  const run = await api.post(`/projects/${project}/runs`, body);
  put(run);
  return run;
}

/** Whether a project asks for something else by now than when the run was started, as the server says it. */
export const isOutdated = (run, project) => Boolean(project?.runs?.find((one) => one.id === run?.id)?.outdated);

/** Take in a run that was started in another way. */
export function follow(run) {
  if (run?.id && run.state) put(run);
}

export async function cancel(id) {
  await api.post(`/runs/${id}/cancel`);
  await refresh(id);
}

export async function remove(id) {
  await api.del(`/runs/${id}`);
  forget(id);
}

async function load() {
  const before = [...known.keys()]; // one that is started meanwhile may not be in the answer
  const found = await api.get("/runs");
  const runs = Array.isArray(found) ? found : found.runs;
  const there = new Set(runs.map((run) => run.id));
  before.filter((id) => !there.has(id)).forEach(forget);
  runs.forEach(put);
}

// What the server says of runs is in the language in which they were asked for.
language.watch(() => {
  stops.forEach((stop) => stop());
  stops.clear();
  results.clear();
  if (known.size) load().catch(() => null);
});

/** Forget everything: after finishing, what was known here is gone too. */
export function forgetAll() {
  [...known.keys()].forEach(forget);
  results.clear();
}

/** The runs of a project, newest first, and `null` until they are known. */
export function useRuns(project) {
  const [, draw] = useState(0);
  const [state, setState] = useState({ loaded: false, problem: null, told: null });
  useEffect(() => {
    const listener = (run, said) => {
      if (said && run.project === project) setState((now) => ({ ...now, told: { run, said } }));
      draw((count) => count + 1);
    };
    const again = () => !document.hidden && load().then(
      () => setState((now) => ({ ...now, loaded: true, problem: null })),
      (problem) => setState((now) => ({ ...now, loaded: true, problem })),
    );
    listeners.add(listener);
    again();
    document.addEventListener("visibilitychange", again);
    return () => { listeners.delete(listener); document.removeEventListener("visibilitychange", again); };
  }, [project]);
  const when = (run) => Date.parse(run.queued) || 0;
  const runs = [...known.values()].filter((run) => run.project === project).sort((a, b) => when(b) - when(a) || b.number - a.number);
  return { runs: state.loaded ? runs : null, ...state };
}

const results = new Map();

/** What a run found, fetched once. */
export function useResult(run) {
  const id = run?.state === "done" ? run.id : null;
  return useFetched(id && `/runs/${id}/result`);
}

/** The answer to a GET that does not change: {value, problem}. */
export function useFetched(path) {
  const [state, setState] = useState({});
  const spoken = language.get();
  useEffect(() => {
    if (!path) return undefined;
    let current = true;
    if (!results.has(path)) results.set(path, api.get(path));
    results.get(path).then(
      (value) => current && setState({ path, value }),
      (problem) => { results.delete(path); if (current) setState({ path, problem }); },
    );
    return () => { current = false; };
  }, [path, spoken]);
  return state.path === path && path ? state : {};
}

/** Whether a run only wrote what an earlier one had released into tables of a database. */
export const isCopy = (run) => Boolean(run.asked?.into);

/** Whether a run has verified what it will release, while attacks are still being tried on it. */
export const isVerified = (run) => Boolean(run.verified) && !hasEnded(run) && !isCopy(run);

/** The runs of one kind that are done and have a result of their own. */
export const doneOf = (runs, kind) => (runs ?? []).filter((run) => run.kind === kind && run.state === "done" && !isCopy(run));

const choices = new Map();

/** Which run the later steps are about: the one chosen, kept in the address so that a reload keeps it, else the newest. */
export function useChosen(project, runs) {
  const [id, setId] = useState(() => choices.get(project) ?? new URLSearchParams(location.search).get("run"));
  const done = doneOf(runs, "run");
  const chosen = done.find((run) => run.id === id) ?? done[0] ?? null;
  const named = chosen && chosen !== done[0] ? chosen.id : null;
  useEffect(() => {
    if (named) history.replaceState(history.state, "", `${location.pathname}?run=${named}`);
  }, [named]);
  const choose = (next) => {
    choices.set(project, next);
    history.replaceState(history.state, "", location.pathname);
    setId(next);
  };
  return { done, chosen, choose };
}
