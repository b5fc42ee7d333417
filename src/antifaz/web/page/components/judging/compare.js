// Two runs side by side: what was asked differently, and what came out.
import { html, useState } from "../../html.js";
import { useFetched } from "../../runs.js";
import { number, t } from "../../words.js";
import { SelectField } from "../field.js";
import { ErrorNotice, Loading } from "../notice.js";
import { PlainTable } from "../table.js";
import { runName } from "../which.js";

export function Compare({ done, project }) {
  const [[first, second], setPair] = useState([done[1].number, done[0].number]);
  const { value, problem } = useFetched(first !== second && `/projects/${project.id}/compare?first=${first}&second=${second}`);
  const options = done.map((run) => [String(run.number), runName(run)]);
  return html`<section class="panel">
    <h2>${t("judge.compare")}</h2>
    <div class="fields">
      <${SelectField} label=${t("judge.compare.first")} value=${String(first)} options=${options} onChange=${(next) => setPair([Number(next), second])} />
      <${SelectField} label=${t("judge.compare.second")} value=${String(second)} options=${options} onChange=${(next) => setPair([first, Number(next)])} />
    </div>
    <${ErrorNotice} error=${problem} />
    ${first !== second && !value && !problem && html`<${Loading} />`}
    ${value && html`<${Side} title=${t("judge.compare.asked")} rows=${value.parameters} none=${t("judge.compare.same")} /><${Side} title=${t("judge.compare.found")} rows=${value.measures} />`}
  </section>`;
}

function Side({ title, rows, none }) {
  const found = Object.entries(rows ?? {});
  if (!found.length) return none ? html`<p class="note">${none}</p>` : null;
  const columns = [{ name: "what", label: title }, { name: "a", label: t("judge.compare.first"), class: "number" }, { name: "b", label: t("judge.compare.second"), class: "number" }];
  const mark = ([a, b], i) => (JSON.stringify(a) === JSON.stringify(b) ? shown([a, b][i]) : html`<strong>${shown([a, b][i])}</strong>`);
  return html`<${PlainTable} label=${title} columns=${columns} rows=${found.map(([what, pair]) => [what, mark(pair, 0), mark(pair, 1)])} />`;
}

function shown(value) {
  if (typeof value === "number") return number(value, 6);
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
