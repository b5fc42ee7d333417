"""The report's style sheet: calm, printable, light or dark as the reader's system is, readable on a phone."""

from __future__ import annotations

#: A page may use its own styles and nothing else: a hostile column name has nothing to call.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
CSS = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #18212b; --soft: #55616f; --line: #dde2e8; --track: #e6eaef;
  --after: #0c6e69; --before: #55616f; --good: #17663a; --good-wash: #e8f4ec; --bad: #a32020; --bad-wash: #fbeaea;
  --warn: #7a4d00; --warn-wash: #fdf3df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1419; --card: #171d24; --ink: #e7ecf2; --soft: #a4b0be; --line: #2b343f; --track: #27303a;
    --after: #45b5ac; --before: #a4b0be; --good: #6fcf97; --good-wash: #14291d; --bad: #ff9a94; --bad-wash: #351818;
    --warn: #f0c060; --warn-wash: #2e2411;
  }
}
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--after); outline-offset: 2px; }
main:focus { outline: 0; }
.skip { position: absolute; left: -100vw; top: .5rem; padding: .5rem 1rem; background: var(--card); color: var(--ink); }
.skip:focus { left: .5rem; }
a { color: var(--after); }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  -webkit-text-size-adjust: 100%;
}
main, header, footer { max-width: 54rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.75rem; }
.eyebrow {
  margin: 0; color: var(--after); font-size: .8125rem; font-weight: 600; letter-spacing: .08em;
  text-transform: uppercase;
}
h1 { margin: .25rem 0 .5rem; font-size: 2.125rem; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1.3125rem; line-height: 1.3; letter-spacing: -.005em; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: 0 0 .75rem; max-width: 44rem; }
.meta { color: var(--soft); font-size: .9375rem; }
.name { font-weight: 600; overflow-wrap: break-word; }
section {
  margin: 1.25rem 0; padding: 1.5rem 1.75rem 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px;
}
.verdict { display: flex; gap: 1rem; align-items: flex-start; border-width: 0 0 0 5px; border-style: solid; }
.verdict h2 { margin: 0 0 .25rem; }
.verdict p:last-child { margin: 0; }
.verdict .sign { flex: none; font-size: 1.5rem; line-height: 1.3; font-weight: 700; }
.verdict.good { background: var(--good-wash); border-color: var(--good); }
.verdict.good .sign, .holds { color: var(--good); }
.verdict.bad { background: var(--bad-wash); border-color: var(--bad); }
.verdict.bad .sign, .fails { color: var(--bad); }
.verdict.open { background: var(--warn-wash); border-color: var(--warn); }
.verdict.open .sign { color: var(--warn); }
.holds, .fails { font-weight: 650; white-space: nowrap; }
.num .explain { max-width: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.25rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.tiles > div { padding: .875rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.tiles > div { display: grid; grid-template-rows: subgrid; grid-row: span 3; row-gap: 0; align-content: start; }
.tiles dt { color: var(--soft); font-size: .875rem; line-height: 1.4; }
.tiles dd { margin: 0; }
.tiles dd.figure {
  font-size: 1.625rem; font-weight: 650; line-height: 1.3; letter-spacing: -.01em; font-variant-numeric: tabular-nums;
}
.tiles dd.note { color: var(--soft); font-size: .875rem; line-height: 1.4; }
.scroll { overflow-x: auto; margin: .75rem 0 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
caption { padding: 0 0 .375rem; text-align: left; color: var(--soft); font-size: .875rem; }
th, td { padding: .5rem 1rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; border-bottom: 1px solid var(--before); color: var(--soft); font-weight: 600;
  font-size: .8125rem; }
tbody tr:first-child > * { border-top: 0; }
tbody th { font-weight: 400; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.label { display: block; font-weight: 600; }
.explain { display: block; color: var(--soft); font-size: .875rem; line-height: 1.45; max-width: 36rem; }
.compact .label, .compact .explain { display: inline; margin-right: .5rem; }
.compact th, .compact td { padding-top: .375rem; padding-bottom: .375rem; }
.part { padding-left: 1rem; }
figure { margin: 1.25rem 0 .75rem; }
figure h3 { margin: 0 0 .5rem; }
figcaption { margin-top: .5rem; color: var(--soft); font-size: .875rem; max-width: 44rem; }
figcaption strong { color: var(--ink); font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .5rem; font-size: .875rem; }
.swatch { display: inline-block; width: .875rem; height: .75rem; margin-right: .375rem; border-radius: 2px; }
.swatch.before { border: 2px solid var(--before); }
.swatch.after { background: var(--after); }
.swatch.dot { width: .625rem; height: .625rem; border-radius: 50%; background: var(--after); }
.swatch.ring { border: 2px solid var(--before); border-radius: 50%; width: .8125rem; height: .8125rem;
  vertical-align: -.125rem; }
.swatch.reach { height: .625rem; border: solid var(--after); border-width: 0 2px; background:
  linear-gradient(var(--after), var(--after)) center / 100% 2px no-repeat; }
.swatch.bar { width: .5rem; border-left: 2px dashed var(--ink); border-radius: 0; }
.shows { margin: 0 0 .5rem; font-size: .9375rem; }
.chart { display: block; max-width: 100%; overflow: visible; font: inherit; }
.chart text { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; }
.chart .strong { font-weight: 700; }
.chart .value { font-size: 12.5px; }
.chart .none { fill: var(--soft); }
.chart .before { fill: var(--card); stroke: var(--before); stroke-width: 1.5; }
.chart .after { fill: var(--after); }
.chart .pale { fill-opacity: .45; }
.chart .outline { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.chart .above { fill: var(--bad); }
.chart .track { fill: var(--track); stroke: var(--before); stroke-width: .5; }
.chart .limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3; }
.chart .mark { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 2; }
.chart .axis-line { stroke: var(--line); stroke-width: 1; }
.chart .reach { stroke: var(--after); stroke-width: 2; }
.chart .control { fill: none; stroke: var(--before); stroke-width: 2; }
.chart .limit-label { fill: var(--bad); font-size: 12.5px; }
.blank { color: var(--warn); border-bottom: 1px dashed var(--warn); }
td ul { margin: 0; }
.sign { margin: 0 0 1.25rem; }
.sign dl { display: grid; grid-template-columns: max-content 1fr; gap: 1rem; margin: .5rem 0 0; }
.sign dt { color: var(--soft); font-size: .875rem; }
.sign dd { margin: 0; min-height: 1.5rem; border-bottom: 1px solid var(--before); }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; max-width: 44rem; }
li { margin: .25rem 0; overflow-wrap: anywhere; }
.warnings { border-left: 5px solid var(--warn); background: var(--warn-wash); }
code { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; overflow-wrap: anywhere; }
footer { padding-top: .5rem; padding-bottom: 3rem; color: var(--soft); font-size: .875rem; }
@media (max-width: 36rem) {
  header { padding-top: 1.75rem; }
  main, header, footer { padding-left: .875rem; padding-right: .875rem; }
  h1 { font-size: 1.75rem; }
  section { padding: 1.125rem 1rem .875rem; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tiles > div { padding: .75rem .875rem; }
  .tiles dd.figure { font-size: 1.25rem; }
  th, td { padding-right: .75rem; }
  .compact .label, .compact .explain { display: block; margin-right: 0; }
  .few th, .few td { overflow-wrap: anywhere; }
  .few .num { overflow-wrap: normal; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc; --track: #e6eaef; --after: #0c6e69;
    --before: #444; --good: #17663a; --good-wash: #fff; --bad: #a32020; --bad-wash: #fff; --warn: #7a4d00;
    --warn-wash: #fff;
  }
  @page { margin: 18mm 16mm; }
  body { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  section { padding: 0; border: 0; border-radius: 0; margin: 1.5rem 0; }
  .verdict, .warnings { padding-left: 1rem; border-left: 5px solid; }
  h2, h3, caption, thead { break-after: avoid; }
  figure, tr, .tiles > div, .verdict, .sign { break-inside: avoid; }
  .skip { display: none; }
  .scroll { overflow: visible; }
  .chart, .swatch { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
