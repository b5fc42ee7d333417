// Fields of forms: each with its label, its help beside it and its error below.
import { html, useId, useState } from "../html.js";
import { t } from "../words.js";
import { IconButton } from "./button.js";
import { Help } from "./help.js";

// `children` is a function of the attributes that tie the control to its label and texts.
export function Field({ label, help, note, error, children, class: extra = "" }) {
  const id = useId();
  const about = [note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(" ");
  const ties = { id, "aria-describedby": about || undefined, "aria-invalid": error ? "true" : undefined };
  return html`<div class=${`field ${extra}`}>
    <div class="label"><label
      for=${id}>${label}</label>${help && html`<${Help} ...${typeof help === "string" ? { term: help } : help} />`}</div>
    ${children(ties)}
    ${note && html`<p class="note" id=${`${id}-note`}>${note}</p>`}
    ${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
  </div>`;
}

export function TextField({ label, help, note, error, value, onChange, class: extra, type = "text", ...rest }) {
  return html`<${Field} label=${label} help=${help} note=${note} error=${error} class=${extra}>
    ${(ties) => html`<input ...${ties} ...${rest} type=${type} value=${value ?? ""} onInput=${(event) => onChange(event.target.value)} />`}
  <//>`;
}

export function AreaField({ label, help, note, error, value, onChange, class: extra, ...rest }) {
  return html`<${Field} label=${label} help=${help} note=${note} error=${error} class=${extra}>
    ${(ties) => html`<textarea ...${ties} ...${rest} value=${value ?? ""} onInput=${(event) => onChange(event.target.value)}></textarea>`}
  <//>`;
}

// Gives a number, or null when the field is empty. What is typed stays as typed until the field is left.
export function NumberField({ label, help, note, error, value, onChange, whole = false, class: extra, ...rest }) {
  const [typed, setTyped] = useState(null);
  const change = (event) => {
    const text = event.target.value;
    setTyped(text);
    if (text === "") onChange(null);
    else if (Number.isFinite(Number(text))) onChange(Number(text));
  };
  return html`<${Field} label=${label} help=${help} note=${note} error=${error} class=${extra}>
    ${(
      ties,
    ) => html`<input ...${ties} ...${rest} type="number" step=${whole ? 1 : "any"} inputmode=${whole ? "numeric" : "decimal"}
      value=${typed ?? value ?? ""} onInput=${change} onBlur=${() => setTyped(null)} />`}
  <//>`;
}

// options: [[value, words], …] or [words, …]
export function SelectField({ label, help, note, error, value, options, onChange, class: extra, ...rest }) {
  return html`<${Field} label=${label} help=${help} note=${note} error=${error} class=${extra}>
    ${(ties) => html`<${Select} ...${ties} ...${rest} value=${value} options=${options} onChange=${onChange} />`}
  <//>`;
}

export function Select({ value, options, onChange, ...rest }) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  return html`<select ...${rest} value=${value ?? ""} onChange=${(event) => onChange(event.target.value)}>
    ${pairs.map(([key, words]) => html`<option key=${key} value=${key} selected=${key === (value ?? "")}>${words}</option>`)}
  </select>`;
}

export function CheckField({ label, help, note, value, onChange, ...rest }) {
  const id = useId();
  return html`<div class="field check">
    <div class="label">
      <input ...${rest} type="checkbox" id=${id} checked=${Boolean(value)}
        aria-describedby=${note ? `${id}-note` : undefined}
        onChange=${(event) => onChange(event.target.checked)} />
      <label for=${id}>${label}</label>${help && html`<${Help} ...${typeof help === "string" ? { term: help } : help} />`}
    </div>
    ${note && html`<p class="note" id=${`${id}-note`}>${note}</p>`}
  </div>`;
}

// Cards of which one is chosen. options: [{value, title, note, mark, more}]
export function RadioCards({ legend, help, value, options, onChange, class: extra = "" }) {
  const name = useId();
  return html`<fieldset class=${`cards ${extra}`}>
    <legend>${legend}${help && html`<${Help} ...${typeof help === "string" ? { term: help } : help} />`}</legend>
    <div class="card-grid">
      ${options.map(
        (option) => html`<label key=${option.value} class=${`card choice${option.value === value ? " chosen" : ""}`}>
          <input type="radio" name=${name} value=${option.value} checked=${option.value === value}
            onChange=${() => onChange(option.value)} />
          <span class="card-title">${option.title}${option.mark && html` <span class="badge">${option.mark}</span>`}</span>
          ${option.note && html`<span class="card-note">${option.note}</span>`}
          ${option.more}
        </label>`,
      )}
    </div>
  </fieldset>`;
}

// A list of short texts, each removable; new ones are typed and added with Enter.
export function ListField({ label, help, note, error, value, onChange, suggestions }) {
  const [typed, setTyped] = useState("");
  const list = useId();
  const items = value ?? [];
  const add = () => {
    const text = typed.trim();
    if (text && !items.includes(text)) onChange([...items, text]);
    setTyped("");
  };
  return html`<${Field} label=${label} help=${help} note=${note} error=${error}>
    ${(ties) => html`<div class="chips">
      ${items.map(
        (item) => html`<span class="chip" key=${item}>${item === "" ? t("app.empty") : item}
          <${IconButton} icon="close" label=${t("app.remove.what", { what: item })}
            onClick=${() => onChange(items.filter((other) => other !== item))} /></span>`,
      )}
      <input ...${ties} value=${typed} list=${suggestions && list} placeholder=${t("app.add.enter")}
        onInput=${(event) => setTyped(event.target.value)}
        onBlur=${add} onKeyDown=${(event) => event.key === "Enter" && (event.preventDefault(), add())} />
      ${suggestions && html`<datalist id=${list}>${suggestions.map((word) => html`<option value=${word} />`)}</datalist>`}
    </div>`}
  <//>`;
}
