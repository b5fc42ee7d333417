// Dialogs: the browser's own <dialog>, which keeps the focus inside and gives it back.
import { html, useEffect, useId, useRef, useState } from "../html.js";
import { t } from "../words.js";
import { Button, IconButton } from "./button.js";
import { ErrorNotice } from "./notice.js";

export function Dialog({ open, title, onClose, children, wide = false }) {
  const ref = useRef(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (open && dialog && !dialog.open) dialog.showModal();
  }, [open]);
  if (!open) return null;
  const outside = (event) => event.target === ref.current && onClose();
  return html`<dialog ref=${ref} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${(event) => (event.preventDefault(), onClose())} onMouseDown=${outside}>
    <div class="dialog-box">
      <div class="dialog-head"><h2 id=${id}>${title}</h2><${IconButton} icon="close" label=${t("app.close")}
        onClick=${onClose} /></div>
      ${children}
    </div>
  </dialog>`;
}

// Asks before something is done; `act` may take its time, and what goes wrong is said in the dialog.
export function Confirm({ open, title, children, yes, danger = false, disabled = false, act, onClose }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const go = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await act();
      onClose();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} open=${open} title=${title} onClose=${onClose}>
    <form onSubmit=${go}>
      ${children}
      <${ErrorNotice} error=${error} />
      <div class="buttons end">
        <${Button} onClick=${onClose}>${t("app.cancel")}<//>
        <${Button} type="submit" kind=${danger ? "danger" : "primary"} busy=${busy} disabled=${disabled}>${yes}<//>
      </div>
    </form>
  <//>`;
}
