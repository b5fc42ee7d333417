// All generalizations that satisfy what was asked: drawn, listed, and each can be taken.
import { html, useMemo, useState } from "../html.js";
import { doneOf, hasEnded, isOutdated, start, useResult } from "../runs.js";
import { number, t, tn } from "../words.js";
import { Button } from "./button.js";
import { Lattice, qualityText } from "./lattice.js";
import { ClipBoard, Filters, inWords, passes } from "./candidate_list.js";
import { vector } from "./lattice_layout.js";
import { ErrorNotice, Loading, Notice, announce } from "./notice.js";
import { Work } from "./work.js";

const MOST_ROWS = 200;

export function Candidates({ project, runs, dataset, onApplied }) {
  const latest = doneOf(runs, "candidates")[0];
  const going = runs.find((run) => run.kind === "candidates" && !hasEnded(run));
  const failed = !going && runs.find((run) => run.kind === "candidates" && run.state === "failed" && (!latest || run.queued > latest.queued));
  const { value, problem } = useResult(latest);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const search = () => {
    setBusy(true);
    start(project.id, { kind: "candidates" }).then(() => setError(null), setError).finally(() => setBusy(false));
  };
  const stale = latest && isOutdated(latest, project);
  return html`<section class="panel" aria-labelledby="explore-candidates">
    <div class="panel-head"><div><h2 id="explore-candidates">${t("explore.candidates")}</h2><p class="note">${t("explore.candidates.note")}</p></div>
      ${!going && html`<${Button} icon="play" small=${Boolean(latest)} kind=${latest ? "plain" : "primary"} busy=${busy} disabled=${!dataset} onClick=${search}>${t(latest ? "explore.searchAgain" : "explore.search")}<//>`}</div>
    ${stale && html`<${Notice} kind="warning"><p>${t("explore.stale")}</p><//>`}
    <${ErrorNotice} error=${error ?? problem ?? failed?.error ?? null} />
    ${going && html`<${Work} run=${going} />`}
    ${latest && !value && !problem && html`<${Loading} />`}
    ${value && html`<${Choice} key=${latest.id} ...${{ result: value, project, onApplied, runs }} />`}
  </section>`;
}

function Choice({ result, project, onApplied, runs }) {
  const columns = useMemo(() => result.lattice?.columns ?? Object.keys(result.candidates[0]?.levels ?? {}), [result]);
  const heights = useMemo(() => result.lattice?.heights ?? [], [result]);
  const [node, setNode] = useState(() => result.candidates.find((one) => one.best) ?? result.candidates[0]);
  const ties = result.candidates.filter((one) => one.best).length;
  const [filter, setFilter] = useState({});
  const [clips, setClips] = useState([]);
  const words = result.words ?? {};
  const clip = (one) => setClips((now) => (now.includes(one) ? now.filter((other) => other !== one) : [...now, one].slice(-4)));
  return html`<div class="choice">
    <p>${tn("explore.found", result.candidates.length, { size: number(result.lattice?.size ?? null) })} ${ties > 1 ? t("explore.ties", { count: ties }) : ""}</p>
    ${result.lattice?.complete === false && html`<${Notice} kind="info"><p>${t("explore.notAll")}</p><//>`}
    ${result.candidates.length > 0 && html`<div class="lattice-frame">
      <p class="note">${t("explore.lattice.note", { columns: columns.join(", ") })}</p>
      <${Legend} ties=${ties > 1} />
      <${Lattice} ...${{ result, columns, heights }} selected=${node?.levels} onSelect=${setNode} />
    </div>`}
    <${Details} ...${{ node, columns, words, project, onApplied, runs, ties: ties > 1 }} />
    <${ClipBoard} ...${{ clips, clip, columns, words, onSelect: setNode }} />
    <${Filters} ...${{ columns, words, heights, filter, setFilter }} count=${result.candidates.filter((one) => passes(one, filter)).length} />
    <${List} candidates=${result.candidates} ...${{ columns, words, filter, clips, clip }} selected=${node} onSelect=${setNode} />
  </div>`;
}

function Legend({ ties }) {
  const one = (kind) => html`<li><span class=${`key is-${kind}`} aria-hidden="true"></span>${t(`explore.node.${kind}`)}</li>`;
  return html`<ul class="legend">${one(ties ? "tie" : "best")}${one("holds")}${one("fails")}</ul>`;
}

/** What is known of the node that is chosen, and the way to take it. */
function Details({ node, columns, words, project, onApplied, runs, ties }) {
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(null);
  const run = asked && runs.find((one) => one.id === asked);
  if (!node) return null;
  const satisfies = node.satisfies !== false;
  const apply = async () => {
    setError(null);
    try {
      const made = await start(project.id, { kind: "run", levels: node.levels });
      setAsked(made.id);
      onApplied(made);
      announce(t("explore.applying"));
    } catch (problem) {
      setError(problem);
    }
  };
  const going = run && !hasEnded(run);
  return html`<div class="node-details" aria-live="polite">
    <div class="panel-head">
      <h3><span class="in-words">${inWords(node.levels, columns, words)}</span> <span class="vector note">${vector(node.levels, columns)}</span> ${t(`explore.node.${node.best ? (ties ? "tie" : "best") : satisfies ? "holds" : "fails"}`)}</h3>
      ${satisfies && html`<${Button} kind="primary" icon="check" busy=${Boolean(going)} onClick=${apply}>${t("explore.apply")}<//>`}
    </div>
    <dl class="facts">
      ${columns.map((column) => html`<div key=${column}><dt>${column}</dt><dd>${words[column]?.[node.levels[column]] ?? t("tree.level", { level: node.levels[column] })}</dd></div>`)}
      ${fact("explore.smallest", node.smallest_class)}${fact("explore.count", node.classes)}${fact("explore.suppressed", node.suppressed)}
      ${node.quality !== null && node.quality !== undefined && html`<div><dt>${t("explore.quality")}</dt><dd>${qualityText(node.quality)}</dd></div>`}
    </dl>
    ${!satisfies && html`<p class="note">${t("explore.fails.note")}</p>`}
    <${ErrorNotice} error=${error ?? (run?.state === "failed" ? run.error : null)} />
    ${going && html`<${Work} run=${run} open=${false} />`}
    ${run?.state === "done" && html`<${Notice} kind="good"><p>${t("explore.applied", { levels: vector(node.levels, columns) })}</p><//>`}
  </div>`;
}

const fact = (key, value) => (value === null || value === undefined ? null : html`<div><dt>${t(key)}</dt><dd>${number(value)}</dd></div>`);

const first = (value) => (Array.isArray(value) ? value[0] : value);

/** The candidates as a table that can be sorted. */
function List({ candidates, columns, words, filter, clips, clip, selected, onSelect }) {
  const [sort, setSort] = useState({ key: "rank", down: false });
  const [all, setAll] = useState(false);
  const rows = useMemo(() => {
    const ranked = candidates.map((one, i) => ({ ...one, one, rank: i + 1, sum: columns.reduce((total, column) => total + one.levels[column], 0) }));
    const sign = sort.down ? -1 : 1;
    return ranked.filter((one) => passes(one, filter)).sort((a, b) => sign * (first(a[sort.key]) - first(b[sort.key])) || a.rank - b.rank);
  }, [candidates, sort, filter]);
  const order = (key) => setSort((now) => ({ key, down: now.key === key ? !now.down : false }));
  const head = (key, label) => html`<th scope="col" class="number" aria-sort=${sort.key === key ? (sort.down ? "descending" : "ascending") : undefined}>
    <button type="button" class="sort" onClick=${() => order(key)}>${label}<span class="sort-mark" aria-hidden="true">${sort.key === key ? (sort.down ? "▼" : "▲") : ""}</span></button></th>`;
  const part = all ? rows : rows.slice(0, MOST_ROWS);
  return html`<details class="candidate-list" open=${candidates.length <= 30}><summary>${t("explore.list")}</summary>
    <div class="table-box plain" tabindex="0" role="region" aria-label=${t("explore.list")}>
      <table class="plain candidates">
        <thead><tr>${head("rank", t("explore.rank"))}<th scope="col">${t("explore.compare")}</th><th scope="col">${t("explore.inWords")}</th>${head("quality", t("explore.quality"))}${head("sum", t("explore.sum"))}${head("smallest_class", t("explore.smallest"))}${head("classes", t("explore.count"))}${head("suppressed", t("explore.suppressed"))}</tr></thead>
        <tbody>${part.map((one) => html`<tr key=${one.rank} class=${vector(one.levels, columns) === vector(selected?.levels ?? {}, columns) ? "is-on" : ""}>
          <td class="number">${number(one.rank)}</td>
          <td><input type="checkbox" checked=${clips.includes(one.one)} aria-label=${t("explore.clip", { levels: vector(one.levels, columns) })} onChange=${() => clip(one.one)} /></td>
          <th scope="row" class="in-words">${inWords(one.levels, columns, words)} <button type="button" class="link vector" onClick=${() => onSelect(one.one)}>${vector(one.levels, columns)}</button>${one.best && html` <span class="badge accent">${t("explore.best")}</span>`}</th>
          <td class="number">${qualityText(one.quality)}</td><td class="number">${number(one.sum)}</td><td class="number">${number(one.smallest_class)}</td>
          <td class="number">${number(one.classes)}</td><td class="number">${number(one.suppressed)}</td></tr>`)}</tbody>
      </table>
    </div>
    ${rows.length > part.length && html`<${Button} small onClick=${() => setAll(true)}>${t("explore.showAll", { count: rows.length })}<//>`}
  </details>`;
}
