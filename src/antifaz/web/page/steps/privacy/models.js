// The privacy models: each with its form, and a list to add others from.
import { html, useState } from "../../html.js";
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { t } from "../../words.js";
import { Button, IconButton } from "../../components/button.js";
import { Dialog } from "../../components/dialog.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Help } from "../../components/help.js";

export function Models({ meta, columns, value, onChange }) {
  const [adding, setAdding] = useState(false);
  const replace = (at, next) => onChange(value.map((one, index) => (index === at ? next : one)));
  const add = (declaration) => {
    const begun = starting(declaration);
    const [first] = columns.filter((column) => column.role === "sensitive");
    if (declaration.parameters?.properties?.attribute && first) begun.attribute = first.name;
    onChange([...value, { model: declaration.name, ...begun }]);
    setAdding(false);
  };
  return html`<section class="stack" aria-labelledby="models">
    <div class="panel-head"><h2 id="models">${t("privacy.models")}<${Help} term="privacy-model" /></h2>
      <${Button} small icon="add" onClick=${() => setAdding(true)}>${t("privacy.models.add")}<//></div>
    <p class="note">${t("privacy.models.text")}</p>
    ${value.map((one, at) => {
      const declaration = meta.models.find((model) => model.name === one.model) ?? { name: one.model ?? "?" };
      const { model, ...parameters } = one;
      return html`<article class="panel" key=${`${at}.${one.model}`} aria-label=${titleOf("model", declaration)}>
        <div class="panel-head"><h3>${titleOf("model", declaration)}<${Help} ...${helpOf("model", declaration)} /></h3>
          <${IconButton} icon="bin" label=${t("app.remove.what", { what: titleOf("model", declaration) })}
            onClick=${() => onChange(value.filter((_, index) => index !== at))} /></div>
        <p class="note">${summaryOf("model", declaration)}</p>
        <${DeclaredForm} declaration=${declaration} value=${parameters} columns=${columns}
          onChange=${(next) => replace(at, { model, ...next })} />
      </article>`;
    })}
    ${value.length === 0 && html`<p class="empty">${t("privacy.models.none")}</p>`}
    <${Dialog} open=${adding} wide title=${t("privacy.models.add")} onClose=${() => setAdding(false)}>
      <ul class="picks">${meta.models.map(
        (model) => html`<li key=${model.name}>
        <div><h3>${titleOf("model", model)}</h3><p class="note">${summaryOf("model", model)}</p></div>
        <${Button} small icon="add" aria-label=${t("privacy.add.what", { what: titleOf("model", model) })}
          onClick=${() => add(model)}>${t("app.add")}<//>
      </li>`,
      )}</ul>
    <//>
  </section>`;
}
