// Which run the steps after it are about.
import { titleOf } from "../declared.js";
import { html } from "../html.js";
import { isOutdated } from "../runs.js";
import { number, t, when } from "../words.js";
import { Button } from "./button.js";
import { SelectField } from "./field.js";
import { Notice } from "./notice.js";

export const runName = (run) => [t("home.run", { number: run.number === null ? "–" : number(run.number) }), wantedText(run), when(run.ended ?? run.queued)].filter(Boolean).join(" · ");

/** The k and the method that a run was asked for. */
export function wantedText(run) {
  const { k, method } = run.wanted ?? {};
  return [k && `k = ${number(k)}`, method && titleOf("method", method)].filter(Boolean).join(" · ");
}

/** A choice among runs, where there are several. */
export function Which({ done, chosen, choose, label }) {
  if (!chosen || done.length < 2) return null;
  const options = done.map((run) => [run.id, `${runName(run)}${levelsText(run)}`]);
  return html`<${SelectField} class="which" label=${label ?? t("explore.which")} value=${chosen.id} options=${options} onChange=${choose} />`;
}

function levelsText(run) {
  const levels = run.asked?.levels;
  return levels ? ` · [${Object.values(levels).join(", ")}]` : "";
}

/** Said of a run whose project asks for something else by now: what it shows, and what must be done to get it anew. */
export function Outdated({ run, project, go }) {
  if (!run || !isOutdated(run, project)) return null;
  return html`<${Notice} kind="warning" title=${t("outdated.title")} actions=${html`<${Button} kind="primary" small icon="play" onClick=${() => go("run")}>${t("outdated.run")}<//>`}><p>${t("outdated.text")}</p><//>`;
}

/** Said by every later step when nothing was released yet. */
export function NothingYet({ go }) {
  return html`<${Notice} title=${t("explore.nothing")} actions=${html`<${Button} kind="primary" small onClick=${() => go("run")}>${t("explore.toRun")}<//>`}><p>${t("explore.nothing.text")}</p><//>`;
}
