// What was asked, what was found, and the figures that matter first.
import { titleOf } from "../../declared.js";
import { html } from "../../html.js";
import { number, percent, t } from "../../words.js";
import { Icon } from "../icon.js";
import { Notice } from "../notice.js";

export function Verdict({ evidence, meta, table }) {
  const { rows, people, risk = {}, utility = {}, privacy = [], classes } = evidence;
  const holds = privacy.every((verdict) => verdict.holds);
  return html`<section class="panel" aria-labelledby="judge-verdict">
    <h2 id="judge-verdict">${table ? `${table}: ` : ""}${t("judge.verdict")}</h2>
    ${privacy.length > 0 && html`<ul class="verdicts">${privacy.map((verdict) => html`<li class=${verdict.holds ? "is-good" : "is-bad"}>
      <${Icon} name=${verdict.holds ? "check" : "warning"} /> <span>${sentence(verdict, meta)}</span></li>`)}</ul>`}
    ${privacy.length > 0 && html`<p class="note">${t(holds ? "judge.counted" : "judge.notHeld")}</p>`}
    <dl class="tiles">
      ${tile("judge.tile.rows", rows && `${number(rows.released)} / ${number(rows.read)}`, rows?.suppressed ? t("judge.tile.left", { count: rows.suppressed }) : t("judge.tile.all"))}
      ${people && tile("judge.tile.people", `${number(people.released)} / ${number(people.read)}`, t("judge.tile.people.note", { columns: people.key.join(", ") }))}
      ${tile("judge.tile.smallest", classes?.after && number(classes.after.smallest), classes?.before && t("judge.tile.was", { value: number(classes.before.smallest) }))}
      ${tile("judge.tile.single", risk.singled_out_after === undefined ? null : number(risk.singled_out_after), risk.singled_out_before === undefined ? "" : t("judge.tile.was", { value: number(risk.singled_out_before) }))}
      ${tile("judge.tile.risk", risk.prosecutor === undefined ? null : percent(risk.prosecutor), risk.prosecutor_before === undefined ? "" : t("judge.tile.was", { value: percent(risk.prosecutor_before) }))}
      ${tile("judge.tile.loss", typeof utility.loss === "number" ? percent(utility.loss) : null, t("judge.tile.loss.note"))}
      ${tile("judge.tile.precision", typeof utility.precision === "number" ? percent(utility.precision) : null, t("judge.tile.precision.note"))}
    </dl>
    ${evidence.warnings?.length > 0 && html`<${Notice} kind="warning"><ul>${evidence.warnings.slice(0, 6).map((one) => html`<li>${one}</li>`)}</ul><//>`}
  </section>`;
}

function sentence(verdict, meta) {
  const title = titleOf("model", meta?.models?.find((one) => one.name === verdict.model) ?? { name: verdict.model });
  const key = ["k", "l", "t", "alpha", "delta", "beta"].find((name) => verdict[name] !== undefined);
  const asked = key ? `${key} = ${number(verdict[key])}` : "";
  const about = verdict.attribute ? ` (${verdict.attribute})` : "";
  return t(verdict.holds ? "judge.holds" : "judge.fails", { model: `${title}${about}`, asked, achieved: verdict.achieved === null ? "–" : number(verdict.achieved, 4) });
}

const tile = (key, value, note) => value === null || value === undefined ? null
  : html`<div class="tile"><dt>${t(key)}</dt><dd class="tile-value">${value}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;
