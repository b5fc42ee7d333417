// Notices on the page, and what is said aloud to those who listen to it.
import { html, useEffect } from "../html.js";
import { has, t } from "../words.js";
import { Button } from "./button.js";
import { Icon } from "./icon.js";

const ICONS = { info: "info", good: "check", warning: "warning", bad: "warning" };

// Say something aloud; errors interrupt, the rest waits.
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "alert" : "live");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 50);
}

// kind: info | good | warning | bad
export function Notice({ kind = "info", title, children, actions }) {
  return html`<div class=${`notice ${kind}`}>
    <${Icon} name=${ICONS[kind]} />
    <div class="notice-text">${title && html`<p class="notice-title">${title}</p>`}${children}</div>
    ${actions && html`<div class="notice-actions">${actions}</div>`}
  </div>`;
}

// What went wrong and what to do about it.
export function ErrorNotice({ error, onRetry }) {
  const text = error && (error.message || String(error));
  useEffect(() => {
    if (text) announce(text, true);
  }, [text]);
  if (!error) return null;
  const advice = `app.advice.${error.code}`;
  const retry = onRetry && html`<${Button} small onClick=${onRetry}>${t("app.retry")}<//>`;
  return html`<${Notice} kind="bad" actions=${retry}>
    <p>${text}${error.where?.line ? ` ${t("app.where", { line: error.where.line, column: error.where.column ?? 1 })}` : ""}</p>
    ${has(advice) && html`<p class="note">${t(advice)}</p>`}
  <//>`;
}

export function Loading({ words }) {
  return html`<p class="loading" role="status"><${Icon} name="wait" /> ${words ?? t("app.loading")}</p>`;
}

// A bar; `share` null when nobody knows how far it is.
export function ProgressBar({ share, label }) {
  return html`<div class="bar-line"><progress aria-label=${label} max="1" ...${share === null || share === undefined ? {} : { value: share }}></progress></div>`;
}
