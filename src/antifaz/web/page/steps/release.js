// Step 8: take the release with you, with what proves it.
import { api } from "../api.js";
import { LinkButton } from "../components/button.js";
import { Downloads, Recipient } from "../components/downloads.js";
import { SelectField } from "../components/field.js";
import { Hash } from "../components/hash.js";
import { ErrorNotice, Loading, Notice } from "../components/notice.js";
import { StepFoot, StepHead, Tables } from "../components/steps.js";
import { InTable } from "../components/tables.js";
import { NothingYet, Outdated, Which } from "../components/which.js";
import { html, useContext, useEffect, useState } from "../html.js";
import { isOutdated, isVerified, useChosen, useRuns } from "../runs.js";
import { ofTable } from "../tables.js";
import { LANGUAGES, bytes, has, language, t } from "../words.js";
import { ToDatabase } from "./release/database.js";
import { ProcessingRecord } from "./release/record.js";

function formatName(format) {
  const key = `release.format.${format.split(".")[0]}`;
  return has(key) ? t(key) : format.toUpperCase();
}

export default function ReleaseStep({ project, go, meta }) {
  const { runs, problem } = useRuns(project.id);
  const { done, chosen, choose } = useChosen(project.id, runs);
  const { whole, datasets } = useContext(Tables);
  const early = runs?.some(isVerified);
  // Kept here: a run that ends while somebody types must not take it away.
  const [to, setTo] = useState("");
  const outdated = chosen && isOutdated(chosen, whole);
  return html`<section class="step">
    <${StepHead} step="release" />
    <${ErrorNotice} error=${problem} />
    ${!runs && html`<${Loading} />`}
    ${early && html`<${Notice} kind="info" title=${t("early.title")}><p>${t("early.release")}</p><//>`}
    ${runs && !chosen && !early && html`<${NothingYet} go=${go} />`}
    <${Which} ...${{ done, chosen, choose }} />
    <${Outdated} run=${chosen} project=${whole} go=${go} />
    ${chosen && !outdated && html`<${Files} key=${chosen.id} ...${{ run: chosen, runs, datasets, to, setTo, formats: meta.formats }} />`}
    <${StepFoot} step="release" go=${go} disabled=${!chosen} why=${t("explore.first")} />
  </section>`;
}

function Files({ run, runs, datasets, to, setTo, formats }) {
  const place = `/runs/${run.id}/release`;
  const [release, setRelease] = useState(null);
  const [problem, setProblem] = useState(null);
  // Asked again after each download: the fingerprints are those of the files that were handed out.
  const look = () => api.get(place).then(setRelease, setProblem);
  useEffect(() => void look(), [place]);
  if (problem) return html`<${ErrorNotice} error=${problem} />`;
  if (!release) return html`<${Loading} />`;
  const parts = release.tables.length ? Object.entries(release.parts) : [["", release]];
  const here = parts.every(([, part]) => part.file);
  return html`<${ProcessingRecord} ...${{ place, tables: release.tables }} />
    ${here && html`<${Recipient} ...${{ to, setTo }} />`}
    ${parts.map(([table, part]) => html`<${Data} key=${table} ...${{ part, place, table, look, to, formats }} />`)}
    ${release.tables.length > 1 && here && html`<${All} ...${{ place, look, to }} />`}
    ${here && html`<${ToDatabase} ...${{ place, runs, run, tables: parts.map(([table]) => table), datasets, recipient: to }} />`}
    <${Papers} ...${{ place, look, tables: release.tables }} />
    <${Prints} files=${release.files} />`;
}

function Data({ part, place, table, look, to, formats }) {
  const id = `release-data${table && `-${table}`}`;
  if (!part.file) return html`<${InTable} table=${part.table} />`;
  return html`<section class="panel" aria-labelledby=${id}>
    <div class="panel-head"><h2 id=${id}>${table ? t("release.data.of", { table }) : t("release.data")}</h2><p class="note">${t("release.size", { rows: part.rows, columns: part.columns.length })}</p></div>
    <p class="note">${t("release.data.note")}</p>
    <${Downloads} place=${`${place}/data`} kinds=${formats} wanted=${(format) => ({ format, ...(table ? { table } : {}) })} label=${formatName} ...${{ look, to }} />
    <p class="note">${t("release.formats.note")}</p>
  </section>`;
}

/** All tables in one file, with the evidence and the reports. */
function All({ place, look, to }) {
  return html`<section class="panel" aria-labelledby="release-all">
    <h2 id="release-all">${t("release.all")}</h2><p class="note">${t("release.all.note")}</p>
    <${Downloads} place=${`${place}/archive`} kinds=${["csv", "xlsx", "parquet"]} wanted=${(format) => ({ format, language: language.get() })} label=${(format) => `ZIP (${formatName(format)})`} ...${{ look, to }} />
  </section>`;
}

function Papers({ place, look, tables }) {
  const [spoken, setSpoken] = useState(language.get());
  const seen = () => setTimeout(look, 1500); // once it was made
  const reports = (table) => {
    const report = api.url(`${place}/report?language=${spoken}${ofTable(table)}`);
    return html`<div class="buttons">${table && html`<span class="paper-of">${table}</span>`}
      <${LinkButton} small icon="file" href=${report} target="_blank" rel="noopener noreferrer" onClick=${seen}>${t("release.open")}<//>
      <${LinkButton} small icon="download" href=${`${report}&download=1`} download onClick=${seen}>HTML<//><${LinkButton} small icon="download" href=${`${report}&format=pdf`} download onClick=${seen}>PDF<//></div>`;
  };
  const json = (name, table) => html`<${LinkButton} small icon="download" href=${api.url(`${place}/${name}?${ofTable(table)}`)} download=${`${name}${table && `-${table}`}.json`}>${table ? `JSON: ${table}` : "JSON"}<//>`;
  const card = (name, body) => html`<article class="card paper" key=${name}><h3>${t(`release.${name}`)}</h3><p class="card-note">${t(`release.${name}.note`)}</p>${body}</article>`;
  return html`<section class="panel" aria-labelledby="release-papers">
    <div class="panel-head"><h2 id="release-papers">${t("release.papers")}</h2>
      <${SelectField} class="which" label=${t("release.language")} value=${spoken} options=${Object.entries(LANGUAGES)} onChange=${setSpoken} /></div>
    <div class="card-grid">
      ${card("report", html`<div class="stack">${["", ...tables].map(reports)}</div>`)}
      ${card("evidence", html`<div class="buttons">${json("evidence", "")}</div>`)}
    </div>
  </section>`;
}

function Prints({ files }) {
  if (!files.length) return null;
  return html`<section class="panel" aria-labelledby="release-prints">
    <h2 id="release-prints">${t("release.prints")}</h2><p class="note">${t("release.prints.note")}</p>
    <ul class="prints">${files.map((file) => html`<li key=${file.name}><div><strong>${file.name}</strong> <span class="note">${bytes(file.bytes)}</span></div><${Hash} value=${file.sha256} name=${file.name} /></li>`)}</ul>
  </section>`;
}
