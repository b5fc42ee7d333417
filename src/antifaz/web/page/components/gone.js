// What was erased and what stays.
import { html } from "../html.js";
import { t } from "../words.js";
import { Notice } from "./notice.js";
import { PlainTable } from "./table.js";

/** What the service says after it looked again. */
export function Gone({ result }) {
  const erased = result.erased ?? [];
  const left = result.left ?? [];
  const all = erased.every((one) => one.gone);
  const columns = [{ name: "what", label: t("finish.what") }, { name: "where", label: t("finish.where") }, { name: "gone", label: t("finish.checked") }];
  const mark = (gone) => html`<span class=${`badge ${gone ? "good" : "bad"}`}>${t(gone ? "finish.gone" : "finish.there")}</span>`;
  return html`<${Notice} kind=${all ? "good" : "bad"} title=${t(all ? "finish.done" : "finish.partly")}><p>${t("finish.looked")}</p><//>
    ${erased.length > 0 && html`<section class="panel"><h2>${t("finish.list")}</h2>
      <${PlainTable} label=${t("finish.list")} columns=${columns} rows=${erased.map((one) => [said(one.what), html`<code>${one.where ?? "–"}</code>`, mark(one.gone)])} /></section>`}
    ${left.length > 0 && html`<section class="panel"><h2>${t("finish.left")}</h2><ul class="left">${left.map((one) => html`<li>${typeof one === "string" ? one : [said(one.what), one.name, one.where].filter(Boolean).join(" · ")}</li>`)}</ul></section>`}`;
}

const said = (what) => {
  const known = t(`finish.kind.${what}`);
  return known === `finish.kind.${what}` ? what : known;
};
