// Links that hand a release out and have the file made ready first: that takes a while, and the ledger may refuse.
import { api } from "../api.js";
import { html, useState } from "../html.js";
import { t } from "../words.js";
import { LinkButton } from "./button.js";
import { download } from "./download.js";
import { TextField } from "./field.js";
import { ErrorNotice, Loading } from "./notice.js";
import { isRefused } from "./remedy.js";

/** Nothing leaves without a recipient: the field for it is above all that leaves. */
export const askRecipient = () => document.querySelector("#hand-out input")?.focus();

export function Recipient({ to, setTo, note = t("release.to.note") }) {
  return html`<section class="panel" id="hand-out"><${TextField} label=${t("release.to")} note=${note} value=${to} onChange=${setTo} required autocomplete="off" /></section>`;
}

export function Downloads({ place, kinds, wanted, label, look, to }) {
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(null);
  const [reason, setReason] = useState("");
  const refused = isRefused(error);
  const asked = (kind) => ({ ...wanted(kind), to: to.trim() });
  const address = (kind) => api.url(`${place}?${new URLSearchParams(asked(kind))}`);
  const take = async (event, kind) => {
    event.preventDefault();
    if (busy) return;
    if (!to.trim()) return askRecipient();
    setBusy(kind);
    setError(null);
    try {
      await api.post(place, { ...asked(kind), despite: (refused && reason.trim()) || null });
      download(address(kind));
      await look();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy("");
    }
  };
  return html`<div class="buttons downloads">
      ${kinds.map((kind, i) => html`<${LinkButton} key=${kind} kind=${i ? "plain" : "primary"} icon=${busy === kind ? "wait" : "download"} href=${address(kind)} download aria-disabled=${busy ? "true" : undefined} onClick=${(event) => take(event, kind)}>${label(kind)}<//>`)}
    </div>
    ${busy && html`<${Loading} words=${t("release.preparing")} />`}
    <${ErrorNotice} error=${error} />
    ${refused && html`<${TextField} label=${t("run.despite")} note=${t("run.despite.note")} value=${reason} onChange=${setReason} autocomplete="off" />`}`;
}
