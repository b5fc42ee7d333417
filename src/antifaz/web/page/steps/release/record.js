// The record of article 30: who answers for the data, why and for whom, asked before the release leaves.
import { api } from "../../api.js";
import { LinkButton } from "../../components/button.js";
import { download } from "../../components/download.js";
import { AreaField, SelectField, TextField } from "../../components/field.js";
import { Notice } from "../../components/notice.js";
import { html, useContext, useEffect, useRef, useState } from "../../html.js";
import { Tables } from "../../components/steps.js";
import { LANGUAGES, language, t, tn } from "../../words.js";

/** What every record must say; the rest is said where there is somebody to name. */
const NEEDED = ["name", "contact", "purposes", "data_subjects", "recipients", "transfers", "erasure"];
const WHERE_THERE_IS_ONE = ["data_protection_officer", "representative", "joint_controller"];
const LONG = new Set(["purposes", "recipients"]);
const PAUSE = 600; // milliseconds after the last key until it is saved

export function ProcessingRecord({ place, tables }) {
  const { whole, save } = useContext(Tables);
  const [said, setSaid] = useState(whole.document?.controller ?? {});
  const [spoken, setSpoken] = useState(language.get());
  const timer = useRef(0);
  const latest = useRef(null);
  const put = async () => {
    clearTimeout(timer.current);
    const given = latest.current;
    latest.current = null;
    // Without anything new it only waits for what is on its way.
    await save(given ? { document: (copy) => void (Object.keys(given).length ? (copy.controller = given) : delete copy.controller) } : {}).catch(() => null);
  };
  useEffect(() => () => void (latest.current && put()), []); // what was typed last is saved when the step is left
  const take = async (event) => {
    event.preventDefault();
    const { href } = event.currentTarget;
    await put();
    download(href);
  };
  const set = (key) => (value) => {
    const next = Object.fromEntries(Object.entries({ ...said, [key]: value }).filter(([, text]) => text !== ""));
    setSaid(next);
    latest.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(put, PAUSE);
  };
  const missing = NEEDED.filter((key) => !said[key]?.trim());
  const field = (key) => html`<${LONG.has(key) ? AreaField : TextField} key=${key} label=${t(`record.${key}`)} note=${t(`record.${key}.note`)} value=${said[key]} onChange=${set(key)} />`;
  const file = (format, table) => html`<${LinkButton} small icon="download" key=${format + table} href=${api.url(`${place}/record?${new URLSearchParams({ format, language: spoken, ...(table ? { table } : {}) })}`)} download onClick=${take}>${format.toUpperCase()}${table ? `: ${table}` : ""}<//>`;
  return html`<section class="panel" aria-labelledby="release-record">
    <div class="panel-head"><h2 id="release-record">${t("record.title")}</h2>
      <${SelectField} class="which" label=${t("record.language")} value=${spoken} options=${Object.entries(LANGUAGES)} onChange=${setSpoken} /></div>
    <p class="note">${t("record.text")}</p>
    ${missing.length > 0 ? html`<${Notice} kind="warning"><p>${tn("record.missing", missing.length, { what: missing.map((key) => t(`record.${key}`)).join(", ") })}</p><//>` : html`<${Notice} kind="good"><p>${t("record.complete")}</p><//>`}
    <div class="fields">${NEEDED.map(field)}</div>
    <details open=${WHERE_THERE_IS_ONE.some((key) => said[key])}><summary>${t("record.others")}</summary><div class="fields">${WHERE_THERE_IS_ONE.map(field)}</div></details>
    <div class="buttons">${(tables.length ? tables : [""]).flatMap((table) => ["pdf", "docx", "json"].map((format) => file(format, table)))}</div>
    <p class="note">${t("record.keep")}</p>
  </section>`;
}
