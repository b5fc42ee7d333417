// Step 8: take the release with you, with what proves it.
import { api } from "../api.js";
import { Button, LinkButton } from "../components/button.js";
import { CheckField, SelectField, TextField } from "../components/field.js";
import { Hash } from "../components/hash.js";
import { ErrorNotice, Loading, Notice } from "../components/notice.js";
import { StepFoot, StepHead } from "../components/steps.js";
import { NothingYet, Which } from "../components/which.js";
import { Work } from "../components/work.js";
import { html, useState } from "../html.js";
import { follow, useChosen, useFetched, useRuns } from "../runs.js";
import { LANGUAGES, bytes, language, t } from "../words.js";

const FORMATS = ["csv", "txt", "tsv", "parquet", "xlsx"];

export default function ReleaseStep({ project, go, dataset }) {
  const { runs, problem } = useRuns(project.id);
  const { done, chosen, choose } = useChosen(project.id, runs);
  return html`<section class="step">
    <${StepHead} step="release" />
    <${ErrorNotice} error=${problem} />
    ${!runs && html`<${Loading} />`}
    ${runs && !chosen && html`<${NothingYet} go=${go} />`}
    <${Which} ...${{ done, chosen, choose }} />
    ${chosen && html`<${Files} key=${chosen.id} ...${{ run: chosen, runs, dataset }} />`}
    <${StepFoot} back="judge" next="finish" go=${go} disabled=${!chosen} why=${t("explore.first")} />
  </section>`;
}

function Files({ run, runs, dataset }) {
  const { value: release, problem } = useFetched(`/runs/${run.id}/release`);
  if (problem) return html`<${ErrorNotice} error=${problem} />`;
  if (!release) return html`<${Loading} />`;
  const place = `/runs/${run.id}/release`;
  return html`<${Data} ...${{ release, place }} />
    ${dataset?.origin === "database" && html`<${ToTable} ...${{ place, runs, run }} />`}
    <${Papers} place=${place} />
    <${Prints} files=${release.files ?? []} />`;
}

function Data({ release, place }) {
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(null);
  // With many rows another format takes a while, and the ledger may have something against it: both are said here.
  const take = async (event, format) => {
    event.preventDefault();
    if (busy) return;
    setBusy(format);
    setError(null);
    try {
      await api.post(`${place}/data`, { format });
      download(api.url(`${place}/data?format=${format}`));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy("");
    }
  };
  return html`<section class="panel" aria-labelledby="release-data">
    <div class="panel-head"><h2 id="release-data">${t("release.data")}</h2><p class="note">${t("release.size", { rows: release.rows, columns: release.columns.length })}</p></div>
    <p class="note">${t("release.data.note")}</p>
    <div class="buttons downloads">
      ${FORMATS.map((format, i) => html`<${LinkButton} key=${format} kind=${i ? "plain" : "primary"} icon=${busy === format ? "wait" : "download"} href=${api.url(`${place}/data?format=${format}`)} download onClick=${(event) => take(event, format)}>${t(`release.format.${format}`)}<//>`)}
    </div>
    ${busy && html`<${Loading} words=${t("release.preparing")} />`}
    <${ErrorNotice} error=${error} />
    <p class="note">${t("release.formats.note")}</p>
  </section>`;
}

function download(href) {
  const link = Object.assign(document.createElement("a"), { href, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}

/** The release as a new table of the database that the data came from. */
function ToTable({ place, runs, run }) {
  const [said, setSaid] = useState({ table: "", schema: "", replace: false });
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const set = (key) => (value) => setSaid((now) => ({ ...now, [key]: value }));
  const last = runs.find((one) => one.asked?.table && one.asked.run === run.id);
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      follow(await api.post(`${place}/table`, { table: said.table.trim(), schema: said.schema.trim() || null, replace: said.replace }));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return html`<section class="panel" aria-labelledby="release-table">
    <h2 id="release-table">${t("release.table")}</h2><p class="note">${t("release.table.note")}</p>
    <form class="form" onSubmit=${send}>
      <div class="fields">
        <${TextField} label=${t("release.table.name")} value=${said.table} onChange=${set("table")} required autocomplete="off" />
        <${TextField} label=${t("release.table.schema")} note=${t("release.table.schema.note")} value=${said.schema} onChange=${set("schema")} autocomplete="off" />
      </div>
      <${CheckField} label=${t("release.table.replace")} value=${said.replace} onChange=${set("replace")} />
      <div class="buttons"><${Button} type="submit" kind="primary" icon="data" busy=${busy} disabled=${!said.table.trim()}>${t("release.table.write")}<//></div>
    </form>
    <${ErrorNotice} error=${error ?? (last?.state === "failed" ? last.error : null)} />
    ${last && html`<${Work} run=${last} />`}
    ${last?.state === "done" && html`<${Notice} kind="good"><p>${t("release.table.done", { table: last.asked?.table ?? said.table })}</p><//>`}
  </section>`;
}

function Papers({ place }) {
  const [spoken, setSpoken] = useState(language.get());
  const report = api.url(`${place}/report?language=${spoken}`);
  const card = (name, body) => html`<article class="card paper" key=${name}><h3>${t(`release.${name}`)}</h3><p class="card-note">${t(`release.${name}.note`)}</p><div class="buttons">${body}</div></article>`;
  return html`<section class="panel" aria-labelledby="release-papers">
    <div class="panel-head"><h2 id="release-papers">${t("release.papers")}</h2>
      <${SelectField} class="which" label=${t("release.language")} value=${spoken} options=${Object.entries(LANGUAGES)} onChange=${setSpoken} /></div>
    <div class="card-grid">
      ${card("report", html`<${LinkButton} small icon="file" href=${report} target="_blank" rel="noopener noreferrer">${t("release.open")}<//>
        <${LinkButton} small icon="download" href=${`${report}&download=1`} download>HTML<//><${LinkButton} small icon="download" href=${`${report}&format=pdf`} download>PDF<//>`)}
      ${card("evidence", html`<${LinkButton} small icon="download" href=${api.url(`${place}/evidence`)} download="evidence.json">JSON<//>`)}
      ${card("record", html`<${LinkButton} small icon="download" href=${api.url(`${place}/record`)} download="record.json">JSON<//>`)}
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

