// The frontier with what was chosen in it: a picture, the figures of one point, and the same as a table. It knows neither
// the server nor the project: `onTake` puts a point where it belongs; so it is the same in a notebook.
import { titleOf } from "../../declared.js";
import { html, useState } from "../../html.js";
import { number, percent, t } from "../../words.js";
import { Button } from "../button.js";
import { ErrorNotice, Notice } from "../notice.js";
import { PlainTable } from "../table.js";
import { Picture, isUnbeaten, same } from "./picture.js";

/** `found`: {points, settings, recommended}; `onTake(point, name)`: a promise of the words that say what was done. */
export function Frontier({ found, take, onTake, methods = [], heading = "h3" }) {
  const { points, settings, recommended } = found;
  const [chosen, choose] = useState(() => points.find((point) => same(point, recommended)) ?? points[0]);
  const [taken, setTaken] = useState(null);
  const [error, setError] = useState(null);
  const names = (method) => {
    const { name, suppression } = settings[method];
    const title = titleOf("method", methods.find((one) => one.name === name) ?? { name });
    return typeof suppression === "number" ? t("explore.frontier.upTo", { method: title, share: percent(suppression, 0) }) : title;
  };
  const accept = () => {
    setError(null);
    onTake(chosen, names(chosen.method)).then((words) => setTaken({ ...chosen, words }), setError);
  };
  const figure = (key, value) => html`<div><dt>${t(key)}</dt><dd>${value}</dd></div>`;
  const columns = [["method", "judge.method"], ["k", null], ["loss", "judge.tile.loss"], ["risk", "judge.tile.risk"], ["out", "explore.suppressed"]];
  const rows = points.map((point) => [html`<button type="button" class="link" onClick=${() => choose(point)}>${names(point.method)}</button>`, number(point.k), percent(point.gcp), percent(point.highest_risk), number(point.suppressed)]);
  return html`<p class="note">${t("explore.frontier.x")}</p>
    <${Picture} ...${{ points, names, chosen, onChoose: choose }} />
    <div class="node-details" aria-live="polite">
      <div class="panel-head"><${heading}>${names(chosen.method)}, k = ${number(chosen.k)}<//><${Button} kind="primary" icon="check" onClick=${accept}>${take}<//></div>
      <dl class="facts">
        ${figure("judge.tile.loss", percent(chosen.gcp))}${figure("judge.tile.risk", percent(chosen.highest_risk))}${figure("explore.suppressed", number(chosen.suppressed))}
      </dl>
      <p class="note">${t(isUnbeaten(chosen, points) ? "explore.frontier.unbeaten" : "explore.frontier.beaten")}${same(chosen, recommended) ? ` ${t("judge.recommended")}.` : ""}</p>
      <${ErrorNotice} error=${error} />
      ${taken && same(taken, chosen) && html`<${Notice} kind="good"><p>${taken.words}</p><//>`}
    </div>
    <details><summary>${t("explore.frontier.table")}</summary><${PlainTable} label=${t("explore.frontier.table")} columns=${columns.map(([name, key], i) => ({ name, label: key ? t(key) : name, class: i ? "number" : "" }))} rows=${rows} /></details>`;
}
