// Two runs side by side: what was asked differently and what came out, in sentences, as a picture, and in full.
import { html, useMemo, useState } from "../../html.js";
import { titleOf } from "../../declared.js";
import { useFetched } from "../../runs.js";
import { has, language, number, percent, t } from "../../words.js";
import { Chart } from "../chart.js";
import { compareChart } from "../charts/compare.js";
import { SelectField } from "../field.js";
import { ErrorNotice, Loading } from "../notice.js";
import { PlainTable } from "../table.js";
import { runName } from "../which.js";

export function Compare({ done, project }) {
  const [[first, second], setPair] = useState([done[1].number, done[0].number]);
  const { value, problem } = useFetched(first !== second && `/projects/${project.id}/compare?first=${first}&second=${second}`);
  const options = done.map((run) => [String(run.number), runName(run)]);
  const pair = [first, second].map((wanted) => done.find((run) => run.number === wanted));
  return html`<section class="panel" aria-labelledby="judge-compare">
    <h2 id="judge-compare">${t("judge.compare")}</h2>
    <div class="fields">
      <${SelectField} label=${t("judge.compare.first")} value=${String(first)} options=${options} onChange=${(next) => setPair([Number(next), second])} />
      <${SelectField} label=${t("judge.compare.second")} value=${String(second)} options=${options} onChange=${(next) => setPair([first, Number(next)])} />
    </div>
    <${ErrorNotice} error=${problem} />
    ${first !== second && !value && !problem && html`<${Loading} />`}
    ${value && html`<${Sentences} ...${{ value, pair }} /><${Picture} ...${{ value, pair }} />
      <details><summary>${t("judge.compare.all")}</summary><div class="stack">
        <${Side} title=${t("judge.compare.asked")} rows=${value.parameters} none=${t("judge.compare.same")} />
        <${Side} title=${t("judge.compare.found")} rows=${value.measures} /></div></details>`}
  </section>`;
}

/** What differs, in the order in which one would ask. */
function Sentences({ value, pair }) {
  const [before, after] = pair.map((run) => run?.wanted ?? {});
  const method = (name) => (name ? titleOf("method", name) : "–");
  const said = [
    before.k === after.k ? after.k && t("judge.compare.k.same", { k: after.k }) : t("judge.compare.k", { first: before.k ?? "–", second: after.k ?? "–" }),
    before.method === after.method ? after.method && t("judge.compare.method.same", { method: method(after.method) }) : t("judge.compare.method", { first: method(before.method), second: method(after.method) }),
    change("loss", value.measures["utility.loss"], percent),
    change("risk", value.measures["risk.prosecutor"], percent),
    change("smallest", value.runs.map((run) => run.k), number),
    change("suppressed", value.measures["rows.suppressed"], number),
    others(value.parameters),
  ];
  return html`<ul class="bare compared">${said.filter(Boolean).map((one) => html`<li>${one}</li>`)}</ul>`;
}

function change(what, figures, shown) {
  const [first, second] = figures ?? [];
  if (typeof first !== "number" || typeof second !== "number") return null;
  const way = Math.abs(first - second) < 1e-9 ? "same" : second > first ? "more" : "less";
  return t(`judge.compare.${what}.${way}`, { first: shown(first), second: shown(second) });
}

/** The columns and parts of the project that were said differently, apart from k and the method. */
function others(parameters) {
  const names = Object.keys(parameters).map((path) => path.split("."))
    .filter(([head, , tail]) => !(head === "privacy" && tail === "k") && !["method", "name"].includes(head))
    .map(([head, name]) => (head === "attributes" ? name : has(`judge.compare.part.${head}`) ? t(`judge.compare.part.${head}`) : head));
  const found = [...new Set(names)];
  return found.length ? t("judge.compare.others", { what: found.join(", ") }) : null;
}

const SHARES = [["utility.loss", "judge.tile.loss"], ["utility.precision", "judge.tile.precision"], ["risk.prosecutor", "judge.tile.risk"], ["risk.marketer", "judge.marketer"]];

function Picture({ value, pair }) {
  const chart = useMemo(() => {
    const rows = SHARES.filter(([path]) => value.measures[path]?.every((one) => typeof one === "number"))
      .map(([path, key]) => ({ name: t(key), first: value.measures[path][0], second: value.measures[path][1] }));
    return compareChart(rows, pair.map((run) => run && runName(run)), t("judge.compare.found"));
  }, [value, language.get()]);
  return chart.table.rows.length ? html`<${Chart} title=${t("judge.compare.found")} ...${chart} />` : null;
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
