// The hierarchy of one column, edited as a table or as a tree. What comes out is the project file's own form of a table:
// {table: [[value, level 1, …, root], …]}.
import { api } from "../api.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { t, tn } from "../words.js";
import { Button } from "./button.js";
import { parse } from "./hierarchy/csv.js";
import { GridView } from "./hierarchy/grid.js";
import { addLevel, addSuppression, height, isSuppressed, problems } from "./hierarchy/rows.js";
import { RuleView } from "./hierarchy/builder.js";
import { TreeView } from "./hierarchy/tree.js";
import { ErrorNotice, Loading, Notice, announce } from "./notice.js";

/** More values than this are shown, not edited: rules such as intervals or masking are made for them. */
const MOST = 20000;

/** `dataset` and `column` as objects or by id and name; `value` as in a project file, or null; `onChange(value)`. */
export function HierarchyEditor({ dataset, column, value, onChange }) {
  const about = { dataset: dataset?.id ?? dataset, column: column?.name ?? column };
  const edited = useHierarchy(about, value, onChange);
  const [view, setView] = useState("table");
  const { rows, error, checked } = edited;
  if (!value && !edited.busy) return html`<${Nothing} ...${{ about, onChange }} />`;
  return html`<section class="hierarchy" aria-label=${t("tree.of", { column: about.column })} aria-busy=${edited.busy}>
    <${Toolbar} ...${{ view, setView, edited, about, value, onChange }} />
    <${ErrorNotice} error=${error} />
    ${!rows && !error && html`<${Loading} />`}
    ${view === "rule" && html`<${RuleView} about=${about} value=${value} onChange=${edited.replace} />`}
    ${rows && view !== "rule" && html`<${Checks} ...${{ rows, checked, total: edited.total, edit: edited.edit }} />`}
    ${rows && edited.whole && view !== "rule" && (view === "table"
      ? html`<${GridView} rows=${rows} onChange=${edited.edit} say=${announce} />`
      : html`<${TreeView} rows=${rows} onChange=${edited.edit} say=${announce} />`)}
    ${rows && !edited.whole && view !== "rule" && html`<${Notice}><p>${t("tree.tooMany", { count: edited.total })}</p><//>`}
  </section>`;
}

export default HierarchyEditor;

/** What is known of a hierarchy, and how it is changed. */
function useHierarchy(about, value, onChange) {
  const [state, setState] = useState({ rows: null, whole: true, total: 0, checked: null, error: null, busy: false });
  const [past, setPast] = useState([]);
  const own = useRef(null);
  const said = JSON.stringify(value ?? null);
  useEffect(() => {
    // What this editor itself sent comes back as it was; reading it again would lose the place where one types.
    if (!value || own.current === said) return undefined;
    const gone = new AbortController();
    setState((now) => ({ ...now, busy: true, error: null }));
    read(about, value, gone.signal).then(
      (found) => setState({ ...found, error: null, busy: false }),
      (error) => error.name !== "AbortError" && setState({ rows: null, whole: true, total: 0, checked: null, error, busy: false }),
    );
    return () => gone.abort();
  }, [about.dataset, about.column, said]);
  useEffect(() => {
    if (own.current !== said || !value) return undefined;
    const gone = new AbortController();
    const timer = setTimeout(() => preview(about, value, gone.signal).then(
      (checked) => setState((now) => ({ ...now, checked, error: null })),
      (error) => error.name !== "AbortError" && setState((now) => ({ ...now, checked: { problems: [error.message], covers: false } })),
    ), 500);
    return () => { clearTimeout(timer); gone.abort(); };
  }, [said]);
  const put = (rows) => {
    const next = { table: rows };
    own.current = JSON.stringify(next);
    setState((now) => ({ ...now, rows, checked: null }));
    onChange(next);
  };
  const edit = (rows) => {
    if (rows === state.rows) return;
    setPast((before) => [...before.slice(-49), state.rows]);
    put(rows);
  };
  const undo = () => { put(past.at(-1)); setPast(past.slice(0, -1)); };
  return { ...state, edit, undo, canUndo: past.length > 0, replace: (next) => { own.current = null; setPast([]); onChange(next); } };
}

const preview = (about, hierarchy, signal) => api.post("/hierarchies/preview", { ...about, hierarchy }, { signal });

/** The rows: those of the preview, or all of them from the export where the preview is only a part. */
async function read(about, hierarchy, signal) {
  const checked = await preview(about, hierarchy, signal);
  const total = checked.total ?? checked.table.length;
  if (total <= checked.table.length) return { rows: checked.table, whole: true, total, checked };
  if (total > MOST) return { rows: checked.table, whole: false, total, checked };
  const text = await api.post("/hierarchies/export", { ...about, hierarchy }, { signal });
  return { rows: parse(text), whole: true, total, checked };
}

function Toolbar({ view, setView, edited, about, value, onChange }) {
  const { rows, edit } = edited;
  const ready = rows && edited.whole;
  const tab = (name) => html`<button type="button" role="radio" aria-checked=${view === name} class=${`segment${view === name ? " is-on" : ""}`}
    onClick=${() => setView(name)}>${t(`tree.view.${name}`)}</button>`;
  const change = (next, said) => { edit(next); announce(said); };
  return html`<div class="hierarchy-tools">
    <div class="segments" role="radiogroup" aria-label=${t("tree.view")}>${tab("rule")}${tab("table")}${tab("tree")}</div>
    <div class="buttons">
      <${Button} small icon="add" disabled=${!ready} onClick=${() => change(addLevel(rows, Math.max(0, height(rows) - 1)), t("tree.added"))}>${t("tree.addLevel")}<//>
      <${Button} small icon="up" disabled=${!ready || isSuppressed(rows)} onClick=${() => change(addSuppression(rows), t("tree.suppressed"))}>${t("tree.addSuppression")}<//>
      <${Button} small icon="back" disabled=${!edited.canUndo} onClick=${edited.undo}>${t("tree.undo")}<//>
      <${Import} onHierarchy=${edited.replace} />
      <${Export} about=${about} value=${value} />
    </div>
  </div>`;
}

function Import({ onHierarchy }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  const take = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    setBusy(true);
    setError(null);
    const form = new FormData();
    form.append("file", file);
    try {
      onHierarchy((await api.upload("/hierarchies/import", form)).hierarchy);
      announce(t("tree.imported"));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
      event.target.value = "";
    }
  };
  return html`<span class="hierarchy-import">
    <${Button} small icon="upload" busy=${busy} onClick=${() => field.current.click()}>${t("tree.import")}<//>
    <input ref=${field} type="file" hidden accept=".csv,.txt,.tsv,.json" aria-label=${t("tree.import")} onChange=${take} />
    <${ErrorNotice} error=${error} />
  </span>`;
}

function Export({ about, value }) {
  const [error, setError] = useState(null);
  const save = async () => {
    try {
      const text = await api.post("/hierarchies/export", { ...about, hierarchy: value });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      link.download = `hierarchy-${about.column.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<${Button} small icon="download" disabled=${!value} onClick=${save}>${t("tree.export")}<//><${ErrorNotice} error=${error} />`;
}

/** Whether it covers the data and is consistent, and what to do where not. */
function Checks({ rows, checked, total, edit }) {
  const found = problems(rows);
  const served = checked?.problems ?? [];
  const said = found.length ? found.map((one) => t(`tree.problem.${one.kind}`, { level: one.level, label: one.label ?? "", count: one.count ?? 0 })) : served.map((one) => one.message ?? one);
  const roots = found.some((one) => one.kind === "roots");
  const fix = roots && html`<${Button} small onClick=${() => edit(addSuppression(rows))}>${t("tree.addSuppression")}<//>`;
  const kind = said.length || checked?.covers === false ? "warning" : checked ? "good" : "info";
  const about = t("tree.summary", { values: tn("tree.values", total || rows.length), levels: tn("tree.levels", height(rows)) });
  const verdict = { good: t("tree.fine"), info: t("tree.checking"), warning: "" }[kind];
  return html`<div class="hierarchy-checks"><${Notice} kind=${kind} actions=${fix || undefined}>
    <p>${about} ${verdict}</p>
    ${said.length > 0 && html`<ul>${said.slice(0, 5).map((one) => html`<li>${one}</li>`)}</ul>`}
    ${!said.length && checked?.covers === false && html`<p>${t("tree.uncovered")}</p>`}
  <//></div>`;
}

function Nothing({ about, onChange }) {
  return html`<section class="hierarchy" aria-label=${t("tree.of", { column: about.column })}>
    <${Notice} title=${t("tree.nothing")}><p>${t("tree.nothing.text")}</p><//>
    <div class="buttons">
      <${Button} kind="primary" icon="add" onClick=${() => onChange({ flat: true })}>${t("tree.start")}<//>
      <${Import} onHierarchy=${onChange} />
    </div>
  </section>`;
}
