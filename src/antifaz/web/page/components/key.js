// A key for encryption or pseudonyms: made here and saved by the person, or taken from a file.
import { api } from "../api.js";
import { html, useEffect, useId, useRef, useState } from "../html.js";
import { t } from "../words.js";
import { Button } from "./button.js";
import { Field } from "./field.js";
import { ErrorNotice, announce } from "./notice.js";

export function KeyField({ value, onChange, required, note, ...rest }) {
  const [known, setKnown] = useState([]);
  const [error, setError] = useState(null);
  const input = useRef(null);
  const list = useId();
  useEffect(() => void api.get("/keys").then(setKnown, () => null), [value]);
  const put = async (body) => {
    setError(null);
    try {
      const made = await api.post("/keys", body);
      if (made.key) save(made);
      announce(t(made.key ? "key.made" : "key.taken", { name: made.name }));
      onChange(made.name);
    } catch (problem) {
      setError(problem);
    }
  };
  const make = () => {
    let name = "antifaz.key";
    for (let number = 2; known.includes(name); number++) name = `antifaz-${number}.key`;
    return put({ name });
  };
  const read = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) await put({ name: file.name, key: (await file.text()).trim() });
  };
  const state = value && known.includes(value) ? t("key.here") : value ? t("key.not.here") : t("key.none");
  return html`<div class="stack">
    <${Field} ...${rest} note=${state}>
      ${(ties) => html`<input ...${ties} list=${list} value=${value ?? ""} spellcheck="false" onInput=${(event) => onChange(event.target.value || null)} />
        <datalist id=${list}>${known.map((name) => html`<option value=${name} />`)}</datalist>`}
    <//>
    <input ref=${input} type="file" class="unseen" tabindex="-1" aria-hidden="true" onChange=${read} />
    <div class="buttons">
      <${Button} small icon="download" onClick=${make}>${t("key.make")}<//>
      <${Button} small icon="upload" onClick=${() => input.current.click()}>${t("key.take")}<//>
    </div>
    <${ErrorNotice} error=${error} />
  </div>`;
}

function save({ name, key }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${key}\n`], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
