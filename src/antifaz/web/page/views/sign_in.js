// For whoever has no session: with an account, or with the address that the server printed.
import { api } from "../api.js";
import { html, useState } from "../html.js";
import { session, useStore, way } from "../store.js";
import { t } from "../words.js";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { ErrorNotice } from "../components/notice.js";

export function SignIn({ problem }) {
  const [error, setError] = useState(problem);
  const [busy, setBusy] = useState(false);
  const by = useStore(way);
  const [code, setCode] = useState("");
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const enter = (body) => async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await api.post("/session", body);
      session.set(await api.get("/session"));
    } catch (problem) {
      setError(problem.status === 401 ? { message: t(body.user ? "sign.account.wrong" : "sign.code.used") } : problem);
    } finally {
      setBusy(false);
    }
  };
  const typed = code.trim().split("code=").pop();
  return html`<div class="page narrow">
    <header class="step-head"><h1>${t("sign.title")}</h1><p>${t(`sign.text.${by ?? "any"}`)}</p></header>
    <${ErrorNotice} error=${error} />
    ${by !== "account" && html`<form class="panel" onSubmit=${enter({ code: typed })}>
      <h2>${t("sign.code.title")}</h2>
      <p class="note">${t("sign.code.text")}</p>
      <${TextField} label=${t("sign.code")} value=${code} onChange=${setCode} autocomplete="off" spellcheck="false" />
      <div class="buttons"><${Button} kind="primary" type="submit" busy=${busy} disabled=${!typed}>${t("sign.in")}<//></div>
    </form>`}
    ${by !== "code" && html`<form class="panel" onSubmit=${enter({ user, password })}>
      <h2>${t("sign.account.title")}</h2>
      <${TextField} label=${t("sign.user")} value=${user} onChange=${setUser} autocomplete="username" />
      <${TextField} label=${t("sign.password")} type="password" value=${password} onChange=${setPassword}
        autocomplete="current-password" />
      <div class="buttons"><${Button} kind="primary" type="submit" busy=${busy} disabled=${!user || !password}>${t("sign.in")}<//></div>
    </form>`}
  </div>`;
}
