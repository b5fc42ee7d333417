// The method: cards with one line each, and the form of the one that is chosen.
import { html } from "../../html.js";
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { t } from "../../words.js";
import { RadioCards } from "../../components/field.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Help } from "../../components/help.js";

export function MethodChoice({ meta, columns, value, onChange }) {
  const { name, ...parameters } = value;
  const declaration = meta.methods.find((method) => method.name === name);
  const choose = (next) => {
    const method = meta.methods.find((one) => one.name === next);
    const share =
      method.parameters?.properties?.suppression && parameters.suppression !== undefined
        ? { suppression: parameters.suppression }
        : {};
    onChange({ name: next, ...starting(method), ...share });
  };
  return html`<section class="stack">
    <${RadioCards} legend=${t("privacy.method")} help="method" value=${name} onChange=${choose}
      options=${meta.methods.map((method) => ({ value: method.name, title: titleOf("method", method), note: summaryOf("method", method), mark: method.name === "auto" ? t("app.recommended") : null }))} />
    ${
      declaration &&
      html`<div class="panel"><h3>${t("privacy.method.options", { method: titleOf("method", declaration) })}<${Help} ...${helpOf("method", declaration)} /></h3>
      <${DeclaredForm} key=${name} declaration=${declaration} value=${parameters}
        columns=${columns.filter((column) => column.role === "quasi-identifier" || column.role === "sensitive")}
        qualities=${meta.qualities ?? []} onChange=${(next) => onChange({ name, ...next })} /></div>`
    }
  </section>`;
}
