// Several projects deleted at once, or everything that is here.
import { api } from "../../api.js";
import { html, useState } from "../../html.js";
import { forgetAll } from "../../runs.js";
import { t, tn } from "../../words.js";
import { Button } from "../../components/button.js";
import { Confirm } from "../../components/dialog.js";
import { Gone } from "../../components/gone.js";
import { announce } from "../../components/notice.js";

export function DeleteSeveral({ projects, onClose, onDone }) {
  const act = async () => {
    for (const project of projects) await api.del(`/projects/${project.id}`);
    announce(tn("home.several.done", projects.length));
    await onDone();
  };
  return html`<${Confirm} open title=${t("home.several", { count: projects.length })} yes=${t("home.delete")} danger act=${act} onClose=${onClose}>
    <ul>${projects.map((project) => html`<li key=${project.id}>${project.name}</li>`)}</ul><p>${t("home.several.text")}</p>
  <//>`;
}

/** The data, what was worked out of it, the releases, the keys and the projects; then it is looked whether they are gone. */
export function EraseAll({ projects, onDone }) {
  const [asking, setAsking] = useState(false);
  const [result, setResult] = useState(null);
  const act = async () => {
    setResult(await api.post("/finish", { keep_release: false, projects: true }));
    forgetAll();
    announce(t("finish.done"));
    await onDone();
  };
  if (!projects.length && !result) return null;
  return html`<section class="panel" aria-labelledby="erase-all">
    ${result ? html`<h2 id="erase-all">${t("home.erase")}</h2><${Gone} result=${result} />` : html`<div class="panel-head"><div><h2 id="erase-all">${t("home.erase")}</h2><p class="note">${t("home.erase.text")}</p></div>
      <${Button} icon="bin" onClick=${() => setAsking(true)}>${t("home.erase")}<//></div>`}
    <${Confirm} open=${asking} title=${t("home.erase")} yes=${t("finish.yes")} danger act=${act} onClose=${() => setAsking(false)}>
      <p>${tn("home.erase.sure", projects.length)}</p><p>${t("finish.sure.note")}</p>
    <//>
  </section>`;
}
