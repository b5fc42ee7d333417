// What was handed out to whom; and forgetting, with a reason, what never left.
import { api } from "../api.js";
import { html, useCallback, useEffect, useState } from "../html.js";
import { useStore } from "../store.js";
import { language, number, t, when } from "../words.js";
import { Button } from "../components/button.js";
import { Confirm } from "../components/dialog.js";
import { AreaField } from "../components/field.js";
import { Help } from "../components/help.js";
import { ErrorNotice, Loading, Notice, announce } from "../components/notice.js";
import { PlainTable } from "../components/table.js";

const COLUMNS = ["release", "to", "made", "k", "records", "state", "act"];

export function LedgerView() {
  const tongue = useStore(language);
  const [found, setFound] = useState(null);
  const [names, setNames] = useState({});
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(null);
  const load = useCallback(async () => {
    setError(null);
    try {
      const [ledger, projects] = await Promise.all([api.get("/ledger"), api.get("/projects").catch(() => [])]);
      // A release of the page is called by the beginning of its project's id.
      setNames(Object.fromEntries(projects.map((project) => [`project-${project.id.slice(0, 12)}`, project.name])));
      setFound(ledger);
    } catch (problem) {
      setError(problem);
    }
  }, []);
  useEffect(() => {
    document.title = `${t("ledger.name")} · antifaz`;
    load();
  }, [load, tongue]);
  const columns = COLUMNS.map((name) => ({ name, label: name === "act" ? "" : t(`ledger.${name}`), class: ["k", "records"].includes(name) ? "number" : "" }));
  const rows = (found?.releases ?? []).map((one) => [
    html`<strong>${names[one.dataset] ?? (one.dataset || t("ledger.unnamed"))}</strong><span class="th-note"><code>${one.release}</code></span>`,
    html`<ul class="bare">${one.recipients.map((each) => html`<li>${each.recipient || t("ledger.nobody")} <span class="note">${when(each.handed)}</span></li>`)}</ul>`,
    when(one.made), one.k === null ? "–" : number(one.k), number(one.records),
    html`<span class=${`badge ${one.state === "forgotten" ? "" : "good"}`}>${t(`ledger.state.${one.state}`)}</span>${one.forgotten && html`<span class="th-note">${one.forgotten.reason}</span>`}${one.despite && html`<span class="th-note">${t("ledger.despite", { reason: one.despite.reason })}</span>`}`,
    one.state === "forgotten" ? "" : html`<${Button} small aria-label=${t("ledger.forget.what", { release: one.release })} onClick=${() => setAsked(one)}>${t("ledger.forget")}<//>`,
  ]);
  return html`<div class="page">
    <header class="step-head"><h1 tabindex="-1">${t("ledger.title")}<${Help} term="ledger" /></h1><p class="asked">${t("ledger.text")}</p></header>
    <${ErrorNotice} error=${error} onRetry=${load} />
    ${!found && !error && html`<${Loading} />`}
    ${found && !found.on && html`<${Notice} kind="warning"><p>${t("ledger.off")}</p><//>`}
    ${found?.on && !rows.length && html`<p class="empty">${t("ledger.none")}</p>`}
    ${rows.length > 0 && html`<${PlainTable} label=${t("ledger.title")} columns=${columns} rows=${rows} class="ledger" />`}
    ${asked && html`<${Forget} release=${asked} onClose=${() => setAsked(null)} onDone=${load} />`}
  </div>`;
}

function Forget({ release, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const act = async () => {
    await api.post(`/ledger/${encodeURIComponent(release.release)}/forget`, { reason: reason.trim() });
    announce(t("ledger.forgotten"));
    await onDone();
  };
  return html`<${Confirm} open title=${t("ledger.forget.what", { release: release.release })} yes=${t("ledger.forget")} danger disabled=${reason.trim().length < 3} act=${act} onClose=${onClose}>
    <p>${t("ledger.forget.text")}</p>
    <${AreaField} label=${t("ledger.reason")} rows="2" value=${reason} onChange=${setReason} required />
  <//>`;
}
