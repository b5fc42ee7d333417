// The ways to data: a file sent here, a file on this machine, a table of a database, an example.
import { api } from "../../api.js";
import { html, useId, useRef, useState } from "../../html.js";
import { session, useStore } from "../../store.js";
import { bytes, percent, t } from "../../words.js";
import { Button } from "../../components/button.js";
import { CheckField, RadioCards, SelectField, TextField } from "../../components/field.js";
import { Icon } from "../../components/icon.js";
import { ErrorNotice, ProgressBar, announce } from "../../components/notice.js";
import { Database } from "./database.js";
import { FileLook } from "./look.js";
import { Opener } from "./opener.js";

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

const WORKBOOK = /\.(xlsx|xlsm|xlsb|xls|ods)$/i;

// A file that waits is opened at once where it can be; else, or where somebody wants it, it is looked at before.
function useWaiting(onChosen) {
  const [waiting, setWaiting] = useState(null);
  const leave = () => {
    if (waiting) api.del(`/files/${waiting.file.id}`).catch(() => null);
    setWaiting(null);
  };
  const begin = async (file, first) => {
    if (first) return setWaiting({ file });
    let dataset;
    try {
      // Which sheet of several is meant, nobody but the person knows.
      const look = WORKBOOK.test(file.name) ? await api.post(`/files/${file.id}/look`) : null;
      if (look?.sheets.length > 1) return setWaiting({ file, look });
      dataset = await api.post(`/files/${file.id}/open`);
    } catch (problem) {
      if (problem.code === "bad-input") return setWaiting({ file });
      api.del(`/files/${file.id}`).catch(() => null);
      throw problem;
    }
    return onChosen(dataset);
  };
  return { waiting, begin, leave };
}

function Upload({ meta, onChosen }) {
  const [share, setShare] = useState(null);
  const [name, setName] = useState("");
  const [error, setError] = useState(null);
  const [over, setOver] = useState(false);
  const [first, setFirst] = useState(false);
  const { waiting, begin, leave } = useWaiting(onChosen);
  const stop = useRef(null);
  const id = useId();
  const limit = meta.limits?.upload_bytes;

  const send = async (chosen) => {
    if (!chosen) return;
    setName(chosen.name);
    setError(null);
    if (limit && chosen.size > limit)
      return setError({
        message: t("data.too.large", { size: bytes(chosen.size), limit: bytes(limit) }),
        code: "too-large",
      });
    const form = new FormData();
    form.append("file", chosen);
    stop.current = new AbortController();
    setShare(0);
    try {
      await begin(await api.upload("/files", form, setShare, stop.current.signal), first);
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
      <p>${share < 1 ? t("data.sending", { name, share: percent(share, 0) }) : t("data.reading.now", { name })}</p>
      <${ProgressBar} share=${share < 1 ? share : null} label=${t("data.sending.label")} />
      ${share < 1 && html`<div class="buttons"><${Button} onClick=${() => stop.current.abort()}>${t("app.cancel")}<//></div>`}
    </div>`;
  if (waiting) return html`<${FileLook} key=${waiting.file.id} ...${waiting} onChosen=${onChosen} onLeave=${leave} />`;
  return html`
    <div class=${`drop${over ? " over" : ""}`} onDragOver=${(event) => (event.preventDefault(), setOver(true))}
      onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <${Icon} name="upload" size=${36} />
      <p><strong>${t("data.drop")}</strong></p>
      <p class="note">${t("data.drop.kinds")}${limit ? ` ${t("data.drop.limit", { limit: bytes(limit) })}` : ""}</p>
      <label class="button primary" for=${id}>${t("data.drop.choose")}</label>
      <input id=${id} class="unseen file" type="file" onChange=${(event) => send(event.target.files[0])} />
    </div>
    <${CheckField} label=${t("look.first")} note=${t("look.first.note")} value=${first} onChange=${setFirst} />
    <p class="note">${t("data.private")}</p>
    <${ErrorNotice} error=${error} />
  `;
}

function Path({ onChosen }) {
  const [path, setPath] = useState("");
  const [first, setFirst] = useState(false);
  const { waiting, begin, leave } = useWaiting(onChosen);
  if (waiting) return html`<${FileLook} key=${waiting.file.id} ...${waiting} onChosen=${onChosen} onLeave=${leave} />`;
  return html`<${Opener} ask=${() => api.post("/files/path", { path })} onChosen=${(file) => begin(file, first)} disabled=${!path.trim()}>
    <${TextField} label=${t("data.path")} note=${t("data.path.note")} value=${path} onChange=${setPath}
      spellcheck="false" autocomplete="off" class="code" />
    <${CheckField} label=${t("look.first")} note=${t("look.first.note")} value=${first} onChange=${setFirst} />
  <//>`;
}

function Example({ onChosen }) {
  const [name, setName] = useState("people");
  const options = ["people", "six-people", "nineteen-people", "salaries"].map((one) => [one, t(`data.example.${one}`)]);
  return html`<${Opener} ask=${() => api.post("/datasets/example", { name })} onChosen=${onChosen}>
    <${SelectField} label=${t("data.example")} value=${name} options=${options} onChange=${setName} />
  <//>`;
}
