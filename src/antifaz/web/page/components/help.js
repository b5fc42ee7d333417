// A question mark that opens the glossary, or any text given to it.
import { html, useState } from "../html.js";
import { has, t } from "../words.js";
import { IconButton } from "./button.js";
import { Dialog } from "./dialog.js";

// <Help term="k-anonymity" /> or <Help title="…" text="…" formula="…" source="…" />
export function Help({ term, title, text, formula, source }) {
  const [open, setOpen] = useState(false);
  const head = title ?? (term ? t(`term.${term}`) : "");
  const body = text ?? (term ? t(`term.${term}.text`) : "");
  return html`<span class="help">
    <${IconButton} icon="help" class="help-button" label=${t("app.help.about", { what: head })}
      onClick=${() => setOpen(true)} />
    <${Dialog} open=${open} title=${head} onClose=${() => setOpen(false)}>
      ${body.split("\n").map((line) => html`<p>${line}</p>`)}
      ${formula && html`<p class="note">${t("app.formula")}</p><p class="formula">${formula}</p>`}
      ${source && html`<p class="note">${t("app.source")}: ${source}</p>`}
      ${term && has(`term.${term}.example`) && html`<p class="example">${t("app.example")}: ${t(`term.${term}.example`)}</p>`}
    <//>
  </span>`;
}
