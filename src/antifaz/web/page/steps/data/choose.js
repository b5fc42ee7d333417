// The ways to data: a file sent here, a file on this machine, a table of a database, an example.
import { api } from "../../api.js";
import { html, useId, useRef, useState } from "../../html.js";
import { session, useStore } from "../../store.js";
import { bytes, percent, t } from "../../words.js";
import { Button } from "../../components/button.js";
import { RadioCards, SelectField, TextField } from "../../components/field.js";
import { Icon } from "../../components/icon.js";
import { ErrorNotice, ProgressBar, announce } from "../../components/notice.js";
import { Fold } from "../../components/fold.js";
import { Database } from "./database.js";
import { Opener } from "./opener.js";
import { Reading } from "./reading.js";

const WAYS = ["upload", "path", "database", "example"];

export function Choose({ meta, source, onChosen, onCancel, keep }) {
  const [way, setWay] = useState(source?.url ? "database" : "upload");
  const who = useStore(session);
  const Way = { upload: Upload, path: Path, database: Database, example: Example }[way];
  // With accounts, files of the machine are nobody's to open.
  const ways = WAYS.filter((name) => name !== "path" || !who?.accounts);
  return html`
    <${RadioCards} class="four" legend=${t("data.where")} value=${way} onChange=${setWay}
      options=${ways.map((name) => ({ value: name, title: t(`data.way.${name}`), note: t(`data.way.${name}.text`) }))} />
    <section class="panel" aria-label=${t(`data.way.${way}`)}>
      <${Way} meta=${meta} source=${source} onChosen=${onChosen} />
      ${onCancel && html`<div class="buttons"><${Button} onClick=${onCancel}>${keep ?? t("data.keep")}<//></div>`}
    </section>
  `;
}

function Upload({ meta, onChosen }) {
  const [share, setShare] = useState(null);
  const [file, setFile] = useState(null);
  const [error, setError] = useState(null);
  const [over, setOver] = useState(false);
  const [told, setTold] = useState({});
  const input = useRef(null);
  const stop = useRef(null);
  const id = useId();
  const limit = meta.limits?.upload_bytes;

  const send = async (chosen, options = {}) => {
    if (!chosen) return;
    setFile(chosen);
    setError(null);
    if (limit && chosen.size > limit)
      return setError({
        message: t("data.too.large", { size: bytes(chosen.size), limit: bytes(limit) }),
        code: "too-large",
      });
    const form = new FormData();
    form.append("file", chosen);
    form.append("options", JSON.stringify(options));
    setTold(options);
    stop.current = new AbortController();
    setShare(0);
    try {
      await onChosen(await api.upload("/datasets", form, setShare, stop.current.signal));
    } catch (problem) {
      if (problem.name === "AbortError") announce(t("data.stopped"));
      else setError(problem);
    } finally {
      setShare(null);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  if (share !== null)
    return html`<div class="stack" aria-live="polite">
      <p>${share < 1 ? t("data.sending", { name: file.name, share: percent(share, 0) }) : t("data.reading.now", { name: file.name })}</p>
      <${ProgressBar} share=${share < 1 ? share : null} label=${t("data.sending.label")} />
      <div class="buttons"><${Button} onClick=${() => stop.current.abort()}>${t("app.cancel")}<//></div>
    </div>`;
  return html`
    <div class=${`drop${over ? " over" : ""}`} onDragOver=${(event) => (event.preventDefault(), setOver(true))}
      onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <${Icon} name="upload" size=${36} />
      <p><strong>${t("data.drop")}</strong></p>
      <p class="note">${t("data.drop.kinds")}${limit ? ` ${t("data.drop.limit", { limit: bytes(limit) })}` : ""}</p>
      <label class="button primary" for=${id}>${t("data.drop.choose")}</label>
      <input id=${id} ref=${input} class="unseen file" type="file"
        accept=".csv,.txt,.tsv,.tab,.xlsx,.parquet,.json,.jsonl,.ndjson"
        onChange=${(event) => send(event.target.files[0])} />
    </div>
    <p class="note">${t("data.private")}</p>
    <${ErrorNotice} error=${error} />
    ${file && error?.code === "bad-input" && html`<${Fold} open title=${t("data.reading")}><${Reading} dataset=${{ origin: "upload", options: told }} onChange=${(options) => send(file, options)} /><//>`}
  `;
}

function Path({ onChosen }) {
  const [path, setPath] = useState("");
  return html`<${Opener} ask=${() => api.post("/datasets/path", { path, options: {} })} onChosen=${onChosen} disabled=${!path.trim()}>
    <${TextField} label=${t("data.path")} note=${t("data.path.note")} value=${path} onChange=${setPath}
      spellcheck="false" autocomplete="off" class="code" />
  <//>`;
}

function Example({ onChosen }) {
  const [name, setName] = useState("people");
  const options = ["people", "six-people", "nineteen-people", "salaries"].map((one) => [one, t(`data.example.${one}`)]);
  return html`<${Opener} ask=${() => api.post("/datasets/example", { name })} onChosen=${onChosen}>
    <${SelectField} label=${t("data.example")} value=${name} options=${options} onChange=${setName} />
  <//>`;
}
