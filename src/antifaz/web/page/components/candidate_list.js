// What helps to choose among many candidates: their levels in words, filters by column and level, and a clip-board.
import { html } from "../html.js";
import { number, t, tn } from "../words.js";
import { Button, IconButton } from "./button.js";
import { qualityText } from "./lattice.js";
import { vector } from "./lattice_layout.js";

/** "age → intervals of 10, postcode → 2 digits"; columns that stay as they are go without saying. */
export function inWords(levels, columns, words) {
  const changed = columns.filter((column) => levels[column] > 0);
  if (!changed.length) return t("explore.live.nothing");
  return changed.map((column) => `${column} → ${words[column]?.[levels[column]] ?? t("tree.level", { level: levels[column] })}`).join(", ");
}

/** `filter`: {column: the highest level that is wanted}. */
export const passes = (one, filter) => Object.entries(filter).every(([column, most]) => one.levels[column] <= most);

export function Filters({ columns, words, heights, filter, setFilter, count }) {
  const set = (column, value) => {
    const { [column]: _, ...others } = filter;
    setFilter(value === "" ? others : { ...others, [column]: Number(value) });
  };
  const options = (column, height) => Array.from({ length: height }, (_, level) => [level, words[column]?.[level] ?? t("tree.level", { level })]);
  if (!heights.length) return null;
  return html`<fieldset class="filters"><legend class="note">${t("explore.filter")}</legend>
    ${columns.map((column, i) => html`<label key=${column}><span class="cut" title=${column}>${column}</span>
      <select value=${filter[column] ?? ""} onChange=${(event) => set(column, event.target.value)}>
        <option value="">${t("explore.filter.any")}</option>
        ${options(column, heights[i]).map(([level, said]) => html`<option value=${level}>${level ? t("explore.filter.most", { words: said }) : said}</option>`)}
      </select></label>`)}
    ${Object.keys(filter).length > 0 && html`<${Button} small kind="quiet" onClick=${() => setFilter({})}>${t("explore.filter.clear")}<//>`}
    <p class="note" role="status">${tn("explore.filter.left", count)}</p>
  </fieldset>`;
}

/** Up to four candidates side by side; where they differ is marked. */
export function ClipBoard({ clips, clip, columns, words, onSelect }) {
  if (!clips.length) return null;
  const line = (name, value) => {
    const values = clips.map(value);
    const different = new Set(values).size > 1;
    return html`<tr key=${name}><th scope="row">${name}</th>${values.map((said) => html`<td class=${different ? "is-different" : ""}>${said}</td>`)}</tr>`;
  };
  return html`<section class="stack" aria-labelledby="explore-clips"><h3 id="explore-clips">${t("explore.clips")}</h3>
    <div class="table-box plain" tabindex="0" role="region" aria-label=${t("explore.clips")}><table class="plain clip">
      <thead><tr><td></td>${clips.map((one) => html`<th scope="col" key=${vector(one.levels, columns)}><button type="button" class="link vector" onClick=${() => onSelect(one)}>${vector(one.levels, columns)}</button>
        <${IconButton} icon="close" label=${t("app.remove.what", { what: vector(one.levels, columns) })} onClick=${() => clip(one)} /></th>`)}</tr></thead>
      <tbody>
        ${columns.map((column) => line(column, (one) => words[column]?.[one.levels[column]] ?? t("tree.level", { level: one.levels[column] })))}
        ${line(t("explore.quality"), (one) => qualityText(one.quality))}${line(t("explore.smallest"), (one) => number(one.smallest_class))}
        ${line(t("explore.count"), (one) => number(one.classes))}${line(t("explore.suppressed"), (one) => number(one.suppressed))}
      </tbody></table></div>
  </section>`;
}
