// Which of the quasi-identifiers tell most together: the fewest with nearly as many distinct combinations as all.
import { api } from "../../api.js";
import { html, useEffect, useState } from "../../html.js";
import { number, percent, t } from "../../words.js";
import { Button } from "../../components/button.js";
import { Help } from "../../components/help.js";
import { ErrorNotice, Loading } from "../../components/notice.js";
import { PlainTable } from "../../components/table.js";
import { Costs } from "./costs.js";

export function Combination({ dataset, quasi, onUse }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const key = JSON.stringify(quasi);
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    setError(null);
    // One parameter for each: a name may hold any sign, a comma too.
    const columns = new URLSearchParams(quasi.map((name) => ["columns", name]));
    api
      .get(`/datasets/${dataset.id}/proposals/quasi-identifiers?${columns}`, { signal: stop.signal })
      .then(setFound, (problem) => problem.name !== "AbortError" && setError(problem));
    return () => stop.abort();
  }, [dataset.id, key]);
  const details = found?.details;
  const whole = found && found.columns.length === quasi.length;
  return html`<section class="panel" aria-labelledby="together">
    <h2 id="together">${t("roles.together")}<${Help} term="quasi-identifier" /></h2>
    <p>${t("roles.together.text")}</p>
    <${ErrorNotice} error=${error} />
    ${!found && !error && html`<${Loading} words=${t("roles.counting")} />`}
    ${
      found &&
      html`
      <p><strong>${found.columns.join(" + ")}</strong></p>
      <p>${t("roles.together.found", { distinct: details?.distinct ?? 0, most: details?.together?.distinct ?? details?.most ?? 0, share: percent((details?.distinct ?? 0) / Math.max(1, details?.together?.distinct ?? details?.most ?? 1)) })}</p>
      ${
        details?.counts?.length > 0 &&
        html`<details><summary>${t("roles.counts")}</summary>
        <${PlainTable} label=${t("roles.counts")} columns=${[
          { name: "columns", label: t("roles.counts.columns") },
          { name: "distinct", label: t("roles.counts.distinct"), class: "number" },
          { name: "single", label: t("roles.counts.single"), class: "number" },
        ]}
          rows=${details.counts.slice(0, 60).map((one) => ({ columns: [one.columns].flat().join(", "), distinct: number(one.distinct), single: number(one.unique ?? one.singled_out ?? one.once) }))} /></details>`
      }
      ${!whole && html`<p class="note">${t("roles.together.warning")}</p><div class="buttons"><${Button} onClick=${() => onUse(found.columns)}>${t("roles.together.use")}<//></div>`}
    `
    }
    ${quasi.length > 1 && html`<${Costs} dataset=${dataset} quasi=${quasi} />`}
  </section>`;
}
