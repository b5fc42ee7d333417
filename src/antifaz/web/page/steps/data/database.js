// A table of a database: fields, never an address typed whole, and a password that is kept nowhere.
import { api } from "../../api.js";
import { html, useState } from "../../html.js";
import { meta } from "../../store.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { CheckField, NumberField, SelectField, TextField } from "../../components/field.js";
import { ErrorNotice, announce } from "../../components/notice.js";
import { Opener } from "./opener.js";

const kinds = () => (meta.get()?.databases ?? []).map(({ name, title }) => [name, title]);
// The usual port of a server; a database in a file has none.
const portOf = (kind) => meta.get()?.databases?.find(({ name }) => name === kind)?.port;
const EMPTY = { kind: "postgresql", host: "127.0.0.1", port: 5432, database: "", user: "", password: "", tls: false };

/** The connection that was used last, while the page is open: several tables of one database are opened one by one. */
let last = {};

// The fields of an address that a project names; there is never a password in it.
function fieldsOf(url) {
  const found = /^([a-z0-9]+):\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/]+)(?::(\d+))?\/([^?]*)/.exec(url ?? "");
  if (!found || !portOf(found[1])) return {};
  const [, kind, user, host, port, database] = found;
  return { kind, user: decodeURIComponent(user ?? ""), host: host.replace(/^\[|\]$/g, ""), port: Number(port ?? portOf(kind)), database: decodeURIComponent(database) };
}

/** What a connection begins with: what a project says of it, with the password where it is the one used last. */
export function startOf(url) {
  const told = fieldsOf(url);
  const same = Object.entries(told).every(([key, value]) => last[key] === value);
  return { ...EMPTY, ...(same ? last : {}), ...told };
}

/** A connection as it is sent. */
export function bodyOf({ kind, database, host, port, user, password, tls }) {
  return portOf(kind) ? { kind, database, host, port, user, password, tls } : { kind, database };
}

/** The fields of a connection. */
export function Connection({ to, setTo }) {
  const away = Boolean(portOf(to.kind));
  const set = (key) => (value) => setTo({ ...to, [key]: value, ...(key === "kind" ? { port: portOf(value) } : {}) });
  return html`<div class="fields">
      <${SelectField} label=${t("data.db.kind")} value=${to.kind} options=${kinds()} onChange=${set("kind")} />
      ${away && html`<${TextField} label=${t("data.db.host")} value=${to.host} onChange=${set("host")} spellcheck="false" />`}
      ${away && html`<${NumberField} label=${t("data.db.port")} whole min="1" max="65535" value=${to.port} onChange=${set("port")} />`}
      <${TextField} label=${t(away ? "data.db.name" : "data.db.file")} value=${to.database} onChange=${set("database")}
        spellcheck="false" />
      ${away && html`<${TextField} label=${t("data.db.user")} value=${to.user} onChange=${set("user")} autocomplete="off" spellcheck="false" />`}
      ${away && html`<${TextField} label=${t("data.db.password")} type="password" value=${to.password} onChange=${set("password")} autocomplete="off" note=${t("data.db.password.note")} />`}
    </div>
    ${away && html`<${CheckField} label=${t("data.db.tls")} value=${to.tls} onChange=${set("tls")} />`}`;
}

export function Database({ source, onChosen }) {
  const [to, setTo] = useState(() => startOf(source?.url));
  const [tables, setTables] = useState(null);
  const [table, setTable] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const change = (next) => {
    setTables(null);
    setTo(next);
  };
  const list = async () => {
    setBusy(true);
    setError(null);
    try {
      const found = (await api.post("/datasets/database/tables", bodyOf(to))).tables;
      setTables(found);
      last = to;
      const asked = found.find((one) => named(one).split(".").pop() === source?.table) ?? found[0];
      setTable(found.length ? named(asked) : "");
      announce(t("data.tables.found", { count: found.length }));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const chosen = () => {
    const found = tables?.find((one) => named(one) === table);
    return typeof found === "object" && found
      ? { table: found.name ?? found.table, schema: found.schema ?? undefined }
      : { table };
  };
  return html`<${Opener} ask=${() => api.post("/datasets/database", { ...bodyOf(to), ...chosen() })} onChosen=${onChosen} disabled=${!table}>
    <${Connection} to=${to} setTo=${change} />
    <div class="buttons"><${Button} busy=${busy} disabled=${!to.database} onClick=${list}>${t("data.db.list")}<//></div>
    <${ErrorNotice} error=${error} />
    ${tables && (tables.length ? html`<${SelectField} label=${t("data.db.table")} value=${table} options=${tables.map(named)} onChange=${setTable} />` : html`<p>${t("data.db.none")}</p>`)}
  <//>`;
}

function named(table) {
  if (typeof table === "string") return table;
  return [table.schema, table.name ?? table.table].filter(Boolean).join(".");
}
