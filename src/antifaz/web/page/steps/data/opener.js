// A form that opens data, and says what is wrong with it.
import { html, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { ErrorNotice } from "../../components/notice.js";

export function Opener({ ask, onChosen, disabled, children }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const open = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onChosen(await ask());
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return html`<form class="stack" onSubmit=${open}>
    ${children}
    <${ErrorNotice} error=${error} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy}
      disabled=${disabled}>${t("data.open")}<//></div>
  </form>`;
}
