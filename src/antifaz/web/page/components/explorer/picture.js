// The frontier as a picture: every method at every k, and those that nothing beats. A click, or Enter, chooses one.
import { html, useEffect, useRef, useState } from "../../html.js";
import { number, percent, t } from "../../words.js";

const [TALL, LEFT, RIGHT, TOP, BOTTOM] = [340, 52, 18, 14, 44];
const SHAPES = ["M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z", "M-5.500-5.500h11v11h-11z", "M0-7L7 5.500H-7z", "M0-7.500L7.500 0 0 7.500-7.500 0z", "M-7-5.500H7L0 7z", "M-6-6L0-2 6-6 2 0 6 6 0 2-6 6-2 0z"];
const colour = (m) => `var(--series-${(m % 6) + 1})`;

/** Whether no other has at least this k and loses less; of equals the larger k counts. */
export const isUnbeaten = (point, points) =>
  !points.some((other) => other.k >= point.k && other.gcp <= point.gcp && (other.k > point.k || other.gcp < point.gcp));

/** `points`: [{method, k, gcp, …}]; `names(method)`: its words; `chosen`: a point. */
export function Picture({ points, names, chosen, onChoose }) {
  const frame = useRef(null);
  const [wide, setWide] = useState(720);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setWide(Math.max(280, Math.min(1200, entry.contentRect.width))));
    watcher.observe(frame.current.parentElement);
    return () => watcher.disconnect();
  }, []);
  const methods = [...new Set(points.map((point) => point.method))];
  const ks = points.map((point) => point.k);
  const [low, high] = [Math.min(...ks), Math.max(...ks)];
  const most = Math.max(0.05, ...points.map((point) => point.gcp));
  const top = Math.ceil(most * 10) / 10;
  // k on a logarithmic scale: from 2 to 3 is as far as from 20 to 30.
  const x = (k) => LEFT + (high === low ? 0.5 : Math.log(k / low) / Math.log(high / low)) * (wide - LEFT - RIGHT);
  const y = (lost) => TALL - BOTTOM - (lost / top) * (TALL - TOP - BOTTOM);
  const way = (line) => line.map((point, i) => `${i ? "L" : "M"}${x(point.k)} ${y(point.gcp)}`).join("");
  const spread = spreadOut(points, x, y);
  const edge = points.filter((point) => isUnbeaten(point, points)).sort((a, b) => a.k - b.k);
  const order = [...points].sort((a, b) => a.k - b.k || a.gcp - b.gcp);
  const at = chosen && order.find((point) => same(point, chosen));
  const go = (point, event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onChoose(point); }
    const next = step && order[order.indexOf(point) + step];
    if (!next) return;
    event.preventDefault();
    onChoose(next);
    frame.current.querySelector(`[data-point="${order.indexOf(next)}"]`)?.focus();
  };
  const marks = [...new Set(ks)].sort((a, b) => a - b);
  return html`<div class="picture">
    <svg ref=${frame} viewBox=${`0 0 ${wide} ${TALL}`} role="group" aria-label=${t("explore.frontier.label")}>
      <g aria-hidden="true">
        ${[0, 0.25, 0.5, 0.75, 1].map((share) => html`<line class="grid-line" x1=${LEFT} x2=${wide - RIGHT} y1=${y(share * top)} y2=${y(share * top)} /><text x=${LEFT - 6} y=${y(share * top) + 4} text-anchor="end">${percent(share * top, 0)}</text>`)}
        ${marks.map((k) => html`<text x=${x(k)} y=${TALL - BOTTOM + 18} text-anchor="middle">${number(k)}</text>`)}
        <line class="axis" x1=${LEFT} x2=${wide - RIGHT} y1=${y(0)} y2=${y(0)} />
        <text x=${(LEFT + wide - RIGHT) / 2} y=${TALL - 6} text-anchor="middle">k</text>
        ${methods.map((method, m) => html`<path class="curve" style=${{ stroke: colour(m) }} d=${way(points.filter((point) => point.method === method))} />`)}
        <path class="edge" d=${way(edge)} />
      </g>
      ${order.map((point, i) => html`<g key=${i} data-point=${i} role="button" tabindex=${(at ?? order[0]) === point ? 0 : -1} aria-pressed=${at === point}
          class=${`point${edge.includes(point) ? " is-edge" : ""}${at === point ? " is-on" : ""}`} transform=${`translate(${x(point.k) + spread.get(point)} ${y(point.gcp)})`}
          onClick=${() => onChoose(point)} onKeyDown=${(event) => go(point, event)} aria-label=${told(point, names, edge)}>
        <title>${told(point, names, edge)}</title>
        <circle class="ring" r="11" /><path class="shape" style=${{ fill: colour(methods.indexOf(point.method)) }} d=${SHAPES[methods.indexOf(point.method) % SHAPES.length]} /></g>`)}
    </svg>
    <ul class="legend">${methods.map((method, m) => html`<li><svg viewBox="-9 -9 18 18" aria-hidden="true"><path style=${{ fill: colour(m) }} d=${SHAPES[m % SHAPES.length]} /></svg>${names(method)}</li>`)}
      <li><svg viewBox="0 0 18 18" aria-hidden="true"><path class="edge" d="M0 9H18" /></svg>${t("explore.frontier.edge")}</li></ul>
  </div>`;
}

/** Points that lie on one another stand side by side, so that each can be hit. */
function spreadOut(points, x, y) {
  const room = Math.abs(x(4) - x(3)) || 40;
  const beside = new Map(points.map((point) => [point, 0]));
  for (const k of new Set(points.map((point) => point.k))) {
    const line = points.filter((point) => point.k === k).sort((a, b) => a.gcp - b.gcp);
    let group = [];
    const settle = () => group.forEach((point, i) => beside.set(point, (i - (group.length - 1) / 2) * Math.min(16, room / group.length)));
    for (const point of line) {
      if (group.length && Math.abs(y(group.at(-1).gcp) - y(point.gcp)) > 9) { settle(); group = []; }
      group.push(point);
    }
    settle();
  }
  return beside;
}

export const same = (a, b) => a.method === b.method && a.k === b.k;

const told = (point, names, edge) =>
  `${names(point.method)}, k = ${number(point.k)}: ${t("explore.frontier.point", { loss: percent(point.gcp), count: point.suppressed })}${edge.includes(point) ? `; ${t("explore.frontier.edge")}` : ""}`;
