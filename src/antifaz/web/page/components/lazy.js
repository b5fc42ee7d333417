// A component whose module is fetched when it is first shown.
import { html, useEffect, useState } from "../html.js";
import { t } from "../words.js";
import { Button } from "./button.js";
import { Loading, Notice } from "./notice.js";

export function lazy(load, pick = (module) => module.default) {
  let found = null;
  return function Lazy(props) {
    const [state, setState] = useState(found ? "ready" : "loading");
    useEffect(() => {
      if (found) return void setState("ready");
      if (state !== "loading") return;
      load().then(
        (module) => {
          found = pick(module);
          setState("ready");
        },
        (error) => {
          console.error(error);
          setState("failed");
        },
      );
    }, [state]);
    if (found) return html`<${found} ...${props} />`;
    if (state === "failed")
      return html`<${Notice} kind="bad" actions=${html`<${Button} small onClick=${() => location.reload()}>${t("app.reload")}<//>`}><p>${t("app.part.failed")}</p><//>`;
    return html`<${Loading} />`;
  };
}
