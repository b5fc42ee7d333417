// The explorer: k, who may be left out and the level of each column are moved, and what it costs follows at once.
// It knows neither the server nor the project: `ask` answers, from counts; so it is the same in a notebook.
import { html, useCallback, useEffect, useMemo, useState } from "../../html.js";
import { number, percent, t } from "../../words.js";
import { Button } from "../button.js";
import { Columns } from "./columns.js";
import { useLive } from "./live.js";
import { Pairs } from "./pairs.js";

const MOST_K = 50;
const MOST_OUT = 0.2;

/** `about`: what `ask({})` answered; `onTake(choice, then)`: puts a choice into the settings; `actions(choice)`: buttons. */
export function Explorer({ about, ask, actions, heading = "h3" }) {
  const [k, setK] = useState(about.asked.k);
  const [out, setOut] = useState(about.asked.suppression);
  const [levels, setLevels] = useState(() => (Object.keys(about.asked.levels ?? {}).length ? about.asked.levels : null));
  const [weights, setWeights] = useState(about.asked.weights ?? {});
  const body = useMemo(() => ({ k, suppression: out, levels, weights: about.weighted ? weights : null }), [k, out, levels, weights]);
  const { value: found, problem, busy } = useLive(ask, body);
  const columns = Object.keys(about.columns);
  const move = useCallback((column, level) => setLevels((now) => ({ ...(now ?? found.levels), [column]: level })), [found]);
  const choice = found && { k: found.k, suppression: found.suppression, levels: found.chosen === "hand" ? found.levels : {}, weights };
  return html`<div class="explorer" aria-busy=${busy ? "true" : undefined}>
    <div class="explorer-sliders">
      <${Slider} label=${t("explore.live.k")} shown=${`k = ${number(k)}`} min="2" max=${Math.max(MOST_K, k)} step="1" value=${k} onChange=${setK} note=${t("explore.live.k.note", { k })} />
      <${Slider} label=${t("explore.live.out")} shown=${percent(out)} min="0" max=${Math.max(MOST_OUT, out)} step="0.005" value=${out} onChange=${setOut} text=${percent(out)} note=${t("explore.live.out.note", { count: Math.floor(out * about.rows + 1e-9), rows: about.rows })} />
    </div>
    ${problem && html`<p class="error" role="alert">${problem.message ?? String(problem)}</p>`}
    ${found && html`<${Outcome} ...${{ found, about, columns, heading }} onBest=${levels && (() => setLevels(null))}>${actions?.(choice, found)}<//>
      <${Columns} ...${{ found, about, columns, move, weights, setWeights, heading }} />
      <${Pairs} ...${{ found, about, columns, heading }} />`}
  </div>`;
}

function Slider({ label, shown, note, value, onChange, text, ...rest }) {
  // While the slider is dragged its own number is shown; what it costs follows.
  const [moving, setMoving] = useState(value);
  useEffect(() => setMoving(value), [value]);
  const change = (event) => { setMoving(Number(event.target.value)); onChange(Number(event.target.value)); };
  return html`<label class="slider"><span class="slider-head"><span>${label}</span><b class="slider-value">${shown}</b></span>
    <input type="range" ...${rest} value=${moving} onInput=${change} aria-valuetext=${text ?? shown} />
    <span class="note">${note}</span></label>`;
}

/** What came out, in a sentence and in figures. */
function Outcome({ found, about, columns, onBest, heading, children }) {
  const changed = columns.filter((column) => found.levels[column] > 0);
  const words = (column) => html`<span class="move"><b>${column}</b> → ${about.columns[column][found.levels[column]].words}</span>`;
  const state = found.holds ? (found.chosen === "best" ? "best" : "hand") : "fails";
  const figure = (key, value, note) => html`<div class="tile"><dt>${t(key)}</dt><dd class="tile-value">${value}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;
  return html`<section class=${`outcome is-${state}`}>
    <${heading} class="outcome-head"><span class="mark" aria-hidden="true">${found.holds ? "✓" : "✗"}</span> ${t(`explore.live.${state}`)}<//>
    <p aria-live="polite">${changed.length ? changed.map((column, i) => html`${i > 0 && ", "}${words(column)}`) : t("explore.live.nothing")}</p>
    ${found.problem && html`<p class="note">${found.problem}</p>`}
    ${found.gap > 0 && html`<p class="note">${t("explore.live.gap")}</p>`}
    <dl class="tiles">
      ${figure("judge.tile.loss", percent(found.loss))}
      ${figure("explore.smallest", number(found.smallest))}
      ${figure("judge.tile.risk", percent(found.risk))}
      ${figure("explore.suppressed", number(found.suppressed), t("explore.live.of", { rows: found.rows, share: percent(found.suppressed / Math.max(1, found.rows)) }))}
      ${figure("explore.count", number(found.classes))}
    </dl>
    <div class="buttons">${children}${onBest && html`<${Button} small onClick=${onBest}>${t("explore.live.toBest")}<//>`}</div>
  </section>`;
}
