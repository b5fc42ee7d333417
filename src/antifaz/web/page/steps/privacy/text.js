// The same project as a text: what the command line reads and writes.
import { api } from "../../api.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button, LinkButton } from "../../components/button.js";
import { AreaField } from "../../components/field.js";
import { ErrorNotice, announce } from "../../components/notice.js";

export function ProjectText({ project, save }) {
  const [typed, setTyped] = useState(null);
  const [text, setText] = useState(project.yaml ?? "");
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (project.yaml) setText(project.yaml);
  }, [project.yaml]);
  const keep = async () => {
    setBusy(true);
    setError(null);
    try {
      const answer = await save({ yaml: typed, document: undefined });
      setText(answer.yaml);
      setTyped(null);
      announce(t("app.saved"));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return html`<section class="panel"><details><summary>${t("privacy.text")}</summary><div class="stack">
    <p class="note">${t("privacy.text.text")}</p>
    <${AreaField} class="code" label=${t("privacy.text.label")} rows="18" spellcheck="false" value=${typed ?? text}
      onChange=${setTyped} />
    <${ErrorNotice} error=${error} />
    <div class="buttons">
      <${Button} kind="primary" busy=${busy} disabled=${typed === null || typed === text}
        onClick=${keep}>${t("privacy.text.keep")}<//>
      <${Button} disabled=${typed === null} onClick=${() => (setTyped(null), setError(null))}>${t("privacy.text.undo")}<//>
      <${LinkButton} icon="download"
        href=${api.url(`/projects/${project.id}/file`)} download>${t("privacy.text.download")}<//>
    </div>
  </div></details></section>`;
}
