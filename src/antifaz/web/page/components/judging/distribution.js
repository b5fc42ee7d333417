// One column before and after, counted from windows of rows: all of them, or a part of a large table.
import { api } from "../../api.js";
import { html, useEffect, useMemo, useState } from "../../html.js";
import { language, t } from "../../words.js";
import { Chart } from "../chart.js";
import { distributionChart } from "../charts/distribution.js";
import { SelectField } from "../field.js";
import { ErrorNotice, Loading } from "../notice.js";
import { ofTable } from "../../tables.js";

const WINDOW = 1000;
const MOST = 10;

export function Distribution({ run, dataset, evidence, table }) {
  const released = evidence.released?.columns ?? [];
  const both = dataset.columns.map((column) => column.name).filter((name) => released.includes(name));
  const changed = new Set((evidence.attributes ?? []).filter((one) => one.role === "quasi-identifier").map((one) => one.name));
  const [column, setColumn] = useState(() => both.find((name) => changed.has(name)) ?? both[0]);
  const [state, setState] = useState({});
  useEffect(() => {
    if (!column) return undefined;
    let current = true;
    setState({});
    Promise.all([counted(`/datasets/${dataset.id}/rows`, "", column), counted(`/runs/${run.id}/release/rows`, ofTable(table), column)]).then(
      ([before, after]) => current && setState({ column, before, after }),
      (problem) => current && setState({ problem }),
    );
    return () => { current = false; };
  }, [column, run.id, dataset.id]);
  const chart = useMemo(() => state.before && distributionChart(state.before.counts, state.after.counts, {
    before: t("explore.before"), after: t("explore.after"), other: t("judge.other"), missing: t("app.missing"), from: t("judge.from"), value: t("tree.value"),
  }), [state, language.get()]);
  if (!both.length) return null;
  const part = state.before && (state.before.rows < state.before.total || state.after.rows < state.after.total);
  const note = part ? t("judge.distribution.part", { rows: state.before.rows, total: state.before.total }) : "";
  return html`<section class="panel">
    <${SelectField} class="which" label=${t("judge.distribution.column")} value=${column} options=${both} onChange=${setColumn} />
    <${ErrorNotice} error=${state.problem} />
    ${!chart && !state.problem && html`<${Loading} />`}
    ${chart && html`<${Chart} key=${column} title=${t("judge.distribution", { column })} description=${`${t("judge.distribution.note")} ${note}`} ...${chart} />`}
  </section>`;
}

/** Count a column's labels in up to MOST windows that lie evenly over the table. */
async function counted(path, more, column) {
  const first = await api.get(`${path}?start=0&count=${WINDOW}${more}`);
  const at = first.columns.findIndex((one) => (one.name ?? one) === column);
  const windows = Math.min(MOST, Math.ceil(first.total / WINDOW));
  const room = first.total - WINDOW;
  const starts = Array.from({ length: Math.max(0, windows - 1) }, (_, i) => (first.total <= MOST * WINDOW ? (i + 1) * WINDOW : Math.round(((i + 1) * room) / (windows - 1))));
  const rest = await Promise.all(starts.map((start) => api.get(`${path}?start=${start}&count=${WINDOW}${more}`)));
  const counts = new Map();
  let rows = 0;
  for (const part of [first, ...rest]) {
    for (const row of part.rows) counts.set(row[at] ?? null, (counts.get(row[at] ?? null) ?? 0) + 1);
    rows += part.rows.length;
  }
  return { counts, rows, total: first.total };
}
