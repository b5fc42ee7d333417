// What each column costs: its levels side by side, each with what it would do if only that one were changed.
import { html, useId } from "../../html.js";
import { number, percent, t } from "../../words.js";

const WEIGHTS = [0, 0.5, 1, 2, 4];

export function Columns({ found, about, columns, move, weights, setWeights, heading }) {
  return html`<section class="explorer-columns">
    <${heading}>${t("explore.columns")}<//>
    <p class="note">${t("explore.columns.note")}</p>
    ${columns.map((column) => html`<${Column} key=${column} ...${{ column, found, about, move, weights, setWeights }} />`)}
  </section>`;
}

function Column({ column, found, about, move, weights, setWeights }) {
  const id = useId();
  const at = found.levels[column];
  const { loss, levels } = found.columns[column];
  const key = (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = step && Math.min(levels.length - 1, Math.max(0, at + step));
    if (!step || next === at) return;
    event.preventDefault();
    move(column, next);
    event.currentTarget.children[next]?.focus();
  };
  return html`<div class="explorer-column">
    <div class="column-head"><span class="cut" id=${id} title=${column}>${column}</span>
      <span class="loss-bar" role="img" aria-label=${t("explore.column.loss", { loss: percent(loss, 0) })}><span style=${{ width: `${Math.round(loss * 100)}%` }}></span></span>
      <span class="loss-figure" aria-hidden="true">${percent(loss, 0)}</span>
      ${about.weighted && html`<label class="weight"><span class="unseen">${t("explore.weight.of", { column })}</span>
        <select value=${String(weights[column] ?? 1)} title=${t("explore.weight")} onChange=${(event) => setWeights(weighted(weights, column, Number(event.target.value)))}>
          ${[...new Set([...WEIGHTS, weights[column] ?? 1])].sort((a, b) => a - b).map((weight) => html`<option value=${String(weight)}>${t("explore.weight.times", { weight })}</option>`)}
        </select></label>`}
    </div>
    <div class="levels-row" role="radiogroup" aria-labelledby=${id} onKeyDown=${key}>
      ${levels.map((way, level) => html`<${Level} key=${level} ...${{ way, on: level === at, words: about.columns[column][level].words }} onChoose=${() => move(column, level)} />`)}
    </div>
  </div>`;
}

function Level({ way, words, on, onChoose }) {
  const told = t(way.holds ? "explore.level.holds" : "explore.level.fails", { words, loss: percent(way.loss, 0), count: way.suppressed });
  return html`<button type="button" role="radio" aria-checked=${on} tabindex=${on ? 0 : -1} class=${`level${on ? " is-on" : ""}${way.holds ? "" : " is-failing"}`} aria-label=${told} title=${told} onClick=${onChoose}>
    <span class="level-words">${words}</span>
    <span class="level-cost"><span aria-hidden="true">${way.holds ? "✓" : "✗"}</span> ${way.holds ? percent(way.loss, 0) : t("explore.level.out", { count: number(way.suppressed) })}</span>
  </button>`;
}

/** Weights without those that are as usual. */
function weighted(weights, column, weight) {
  const { [column]: _, ...others } = weights;
  return weight === 1 ? others : { ...others, [column]: weight };
}
