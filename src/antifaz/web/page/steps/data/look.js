// A file before it is opened: its first lines, what is wrong with it, the repairs that help, and what it would be read as.
import { api } from "../../api.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { has, language, number, t, tn } from "../../words.js";
import { Button } from "../../components/button.js";
import { CheckField, RadioCards } from "../../components/field.js";
import { Fold } from "../../components/fold.js";
import { ErrorNotice, Loading, Notice, announce } from "../../components/notice.js";
import { Codes, Forms } from "./look_columns.js";
import { Picture, Preview } from "./look_tables.js";
import { Reading } from "./reading.js";

// What the page itself asks for is said in its own words; the server's speak of commands.
const ASKED = { "workbook.which-sheet": "sheet", "fixed.widths-wrong": "widths" };

/** `look`: what is known of the file already, if somebody looked. */
export function FileLook({ file, look = null, onChosen, onLeave }) {
  const [told, setTold] = useState({});
  const [found, setFound] = useState(look);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(null); // looking | opening
  const stop = useRef(null);
  const title = useRef(null);

  const ask = async (options) => {
    stop.current?.abort();
    const own = (stop.current = new AbortController());
    setTold(options);
    setBusy("looking");
    setError(null);
    try {
      const answer = await api.post(`/files/${file.id}/look`, { options }, { signal: own.signal });
      setFound(answer);
      announce(answer.fault ? faultText(answer.fault) : tn("look.ready", answer.preview.total));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      setError(problem);
    }
    setBusy(null);
  };
  useEffect(() => {
    title.current?.focus();
    return () => stop.current?.abort();
  }, []);
  const known = useRef(look);
  const spoken = language.get();
  useEffect(() => {
    if (!known.current) ask(told);
    known.current = null;
  }, [spoken]);
  const open = async () => {
    setBusy("opening");
    setError(null);
    try {
      await onChosen(await api.post(`/files/${file.id}/open`, { options: told }));
    } catch (problem) {
      setError(problem);
      setBusy(null);
    }
  };
  const { fault, preview } = found ?? {};
  const asked = fault && ASKED[fault.code];
  const repairs = (found?.repairs ?? []).filter((one) => one.name !== "largest-sheet");
  const repair = (names) => ask({ ...told, repair: names });
  const chosen = told.repair ?? [];
  return html`<section class="look stack" aria-labelledby="look" aria-busy=${busy === "looking"}>
    <h2 id="look" tabindex="-1" ref=${title}>${t(asked === "sheet" ? "look.title.sheet" : fault ? "look.title.fault" : "look.title", { name: file.name })}</h2>
    <${ErrorNotice} error=${error} />
    ${!found && !error && html`<${Loading} words=${t("look.looking", { name: file.name })} />`}
    ${fault && html`<${Notice} kind=${asked ? "info" : "bad"}><p>${asked ? t(`look.asked.${asked}`) : faultText(fault)}</p><//>`}
    ${found?.sheets.length > 1 && html`<${RadioCards} legend=${t("look.sheets")} value=${told.sheet ?? (preview ? found.sheets[0].name : "")} onChange=${(sheet) => ask({ ...told, sheet })}
      options=${found.sheets.map((one) => ({ value: one.name, title: one.name, note: t("look.sheet.size", { rows: number(one.rows), columns: number(one.columns) }) }))} />`}
    ${found?.lines.length > 0 && asked !== "sheet" && html`<${Picture} lines=${found.lines} fault=${fault} ruler=${told.format === "fixed" && !told.widths} sheet=${found.sheets.length > 0} />`}
    ${
      repairs.length > 0 &&
      asked !== "sheet" &&
      html`<fieldset class="repairs stack"><legend>${t(fault ? "look.repairs" : "look.repairs.made")}</legend>
      <p class="note">${t("look.repairs.text")}</p>
      ${repairs.map((one) => html`<${CheckField} key=${one.name} label=${sentence(one.what)} value=${chosen.includes(one.name)} disabled=${busy === "opening"} onChange=${(on) => repair(on ? [...chosen, one.name] : chosen.filter((name) => name !== one.name))} />`)}
      ${fault && repairs.length > 1 && html`<div class="buttons"><${Button} small icon="check" onClick=${() => repair(repairs.map((one) => one.name))}>${t("look.repairs.all")}<//></div>`}
    </fieldset>`
    }
    ${found && asked !== "sheet" && html`<${Fold} open=${Boolean(fault) && repairs.length === 0} title=${t("look.options")}><${Reading} dataset=${{ origin: file.origin, options: told }} found=${found.options} busy=${busy === "looking"} submit=${t("look.try")} onChange=${ask} /><//>`}
    ${preview && html`<${Preview} preview=${preview} />`}
    ${preview && html`<${Forms} columns=${preview.columns} told=${told} onChange=${ask} /><${Codes} columns=${preview.columns} told=${told} onChange=${ask} />`}
    <div class="buttons">
      <${Button} kind="primary" icon="check" busy=${busy === "opening"} disabled=${!preview || busy !== null} onClick=${open}>${t("look.open")}<//>
      <${Button} onClick=${onLeave}>${t("look.leave")}<//>
      ${busy === "looking" && found && html`<${Loading} words=${t("look.again")} />`}
    </div>
  </section>`;
}

/** What the page has below is said in its own words: those of the server name options of commands. */
function faultText(fault) {
  const key = `look.fault.${fault.reason}`;
  return has(key) ? t(key, { line: fault.line, ...fault.values }) : fault.message;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
