// The explorer on a project: it asks the server, and what is chosen goes into the project's settings.
import { api } from "../../api.js";
import { Button } from "../../components/button.js";
import { withChoice } from "../../components/explorer/choice.js";
import { Explorer } from "../../components/explorer/explorer.js";
import { ErrorNotice, Loading, Notice, announce } from "../../components/notice.js";
import { titleOf } from "../../declared.js";
import { html, useCallback, useEffect, useState } from "../../html.js";
import { start } from "../../runs.js";
import { language, number, t } from "../../words.js";

export function Live({ project, table, save, meta, onStarted }) {
  const [about, setAbout] = useState(null);
  const [problem, setProblem] = useState(null);
  const [done, setDone] = useState("");
  const ask = useCallback((body) => api.post(`/projects/${project.id}/explore`, { ...body, ...(table ? { table } : {}) }), [project.id, table, language.get()]);
  useEffect(() => {
    let current = true;
    ask({}).then((found) => current && setAbout(found), (error) => current && setProblem(error));
    return () => { current = false; };
  }, [ask]);
  const take = async (choice, run) => {
    setProblem(null);
    try {
      await save({ document: withChoice(project.document, choice) });
      if (run) onStarted?.(await start(project.id, { kind: "run" }));
      const said = t(run ? "explore.live.running" : "explore.live.taken", { k: choice.k });
      setDone(said);
      announce(said);
    } catch (error) {
      setProblem(error);
    }
  };
  const actions = (choice, found) => html`
    <${Button} kind="primary" icon="play" disabled=${!found.holds} onClick=${() => take(choice, true)}>${t("explore.live.run")}<//>
    <${Button} icon="check" disabled=${!found.holds} onClick=${() => take(choice, false)}>${t("explore.live.take")}<//>`;
  return html`<section class="panel" aria-labelledby="explore-live">
    <div><h2 id="explore-live">${t("explore.live")}</h2><p class="note">${about ? t("explore.live.note", { rows: about.rows, size: number(about.size) }) : ""}</p></div>
    <${ErrorNotice} error=${problem} />
    ${done && html`<${Notice} kind="good"><p>${done}</p><//>`}
    ${!about && !problem && html`<${Loading} />`}
    ${about?.models.length > 0 && html`<p class="note">${t("explore.live.models", { models: [...new Set(about.models)].map((name) => titleOf("model", meta?.models?.find((one) => one.name === name) ?? { name })).join(", ") })}</p>`}
    ${about && html`<${Explorer} about=${about} ask=${ask} actions=${actions} />`}
  </section>`;
}
