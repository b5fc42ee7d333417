// A table that was made: its cells, what the attack found, and the way out.
import { api } from "../../api.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { remove, useResult } from "../../runs.js";
import { language, number, percent, t, tn } from "../../words.js";
import { IconButton, LinkButton } from "../../components/button.js";
import { Downloads, Recipient } from "../../components/downloads.js";
import { ErrorNotice, Loading, Notice } from "../../components/notice.js";
import { useStore } from "../../store.js";
import { CellTable } from "./cells.js";

/** `fresh`: it was asked for here just now, and is what the person waits for. */
export function TableMade({ run, to, setTo, fresh }) {
  const { value: evidence, problem } = useResult(run);
  const [cells, setCells] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => void api.get(`/runs/${run.id}/cells`).then(setCells, setError), [run.id]);
  const title = useRef(null);
  const ready = Boolean(evidence && cells);
  useEffect(() => {
    if (ready && fresh) title.current.focus();
  }, [ready, fresh]);
  if (problem ?? error) return html`<${ErrorNotice} error=${problem ?? error} />`;
  if (!ready) return html`<${Loading} />`;
  const place = `/runs/${run.id}/release`;
  return html`<section class="panel" aria-labelledby="counts-made">
      <div class="panel-head"><h2 id="counts-made" tabindex="-1" ref=${title}>${t("counts.made")}</h2>
        <${IconButton} icon="bin" label=${t("run.forget", { what: t("counts.made") })} onClick=${() => remove(run.id).catch(setError)} /></div>
      <${Found} evidence=${evidence} />
      <${CellTable} cells=${cells} label=${t("counts.made")} />
    </section>
    <${Recipient} ...${{ to, setTo, note: t("counts.to.note") }} />
    <section class="panel" aria-labelledby="counts-data">
      <h2 id="counts-data">${t("release.data")}</h2><p class="note">${t("counts.data.note")}</p>
      <${Downloads} place=${`${place}/data`} kinds=${["csv", "xlsx", "parquet"]} wanted=${(format) => ({ format })} label=${(format) => t(`release.format.${format}`)} look=${() => null} to=${to} />
    </section>
    <${Papers} place=${place} />`;
}

/** What the auditor found, in figures and words. */
function Found({ evidence }) {
  const { table, audit, warnings, notes } = evidence;
  const tile = (key, value, note) => html`<div class="tile"><dt>${t(key)}</dt><dd class="tile-value">${value}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;
  const isPrivate = ["laplace", "gaussian"].includes(evidence.protection.name);
  return html`<dl class="tiles">
      ${tile("counts.cells", number(table.cells), t("counts.cells.note"))}
      ${tile(isPrivate ? "counts.left.out" : "counts.suppressed", number(table.suppressed), table.cells ? percent(table.suppressed / table.cells) : "")}
      ${!isPrivate && tile("counts.sensitive", number(audit.sensitive), t("counts.sensitive.note"))}
      ${audit.attacked > 0 && tile("counts.narrowest", audit.narrowest_interval === null ? t("counts.open") : number(audit.narrowest_interval), t("counts.narrowest.note"))}
    </dl>
    ${isPrivate && table.shown <= 1 && html`<${Notice} kind="warning"><p>${t("counts.nothing.left")}</p><//>`}
    <${Notice} kind="good"><p>${isPrivate ? t("counts.audited.private") : audit.attacked ? tn("counts.audited", audit.attacked) : t("counts.audited.none")}</p><//>
    ${warnings.length > 0 && html`<${Notice} kind="warning"><ul class="bare">${warnings.map((one) => html`<li>${one}</li>`)}</ul><//>`}
    ${notes.length > 0 && html`<details><summary>${t("data.notes")}</summary><ul>${notes.map((one) => html`<li>${one}</li>`)}</ul></details>`}`;
}

function Papers({ place }) {
  const report = api.url(`${place}/report?language=${useStore(language)}`);
  return html`<section class="panel" aria-labelledby="counts-papers">
    <h2 id="counts-papers">${t("release.papers")}</h2><p class="note">${t("counts.papers.note")}</p>
    <div class="buttons">
      <${LinkButton} small icon="file" href=${report} target="_blank" rel="noopener noreferrer">${t("counts.report")}<//>
      <${LinkButton} small icon="download" href=${`${report}&download=1`} download>${t("counts.report")} (HTML)<//>
      <${LinkButton} small icon="download" href=${`${report}&format=pdf`} download>${t("counts.report")} (PDF)<//>
      <${LinkButton} small icon="download" href=${api.url(`${place}/evidence`)} download="evidence.json">${t("counts.evidence")} (JSON)<//>
    </div>
  </section>`;
}
