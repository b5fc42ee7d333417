// A question mark that explains a word: on hovering for a moment, on a click until it is closed. The page stays usable.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from "../html.js";
import { has, t } from "../words.js";
import { IconButton } from "./button.js";
import { announce } from "./notice.js";

const SOON = 250; // milliseconds until hovering shows it
const LATE = 250; // milliseconds until leaving hides it: time to reach it and select its text
const EDGE = 12; // pixels that it stays away from the window's edge

// <Help term="k-anonymity" /> or <Help title="…" text="…" formula="…" source="…" />
export function Help({ term, title, text, formula, source }) {
  const id = useId();
  const place = useRef(null);
  const box = useRef(null);
  const timer = useRef(0);
  const [shown, setShown] = useState(""); // "", hover, or kept
  const head = title ?? (term ? t(`term.${term}`) : "");
  const body = text ?? (term ? t(`term.${term}.text`) : "");
  const later = (wait, act) => (event) => {
    if (event.pointerType !== "mouse") return;
    clearTimeout(timer.current);
    timer.current = setTimeout(act, wait);
  };
  const come = later(SOON, () => setShown((now) => now || "hover"));
  const leave = later(LATE, () => setShown((now) => (now === "hover" ? "" : now)));
  const click = () => {
    clearTimeout(timer.current);
    setShown(shown === "kept" ? "" : "kept");
    if (shown !== "kept") announce(`${head}. ${body}`);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    if (!shown) return undefined;
    box.current.showPopover();
    const put = () => putBeside(box.current, place.current.getBoundingClientRect());
    const key = (event) => event.key === "Escape" && setShown("");
    const outside = (event) => !place.current?.contains(event.target) && setShown("");
    put();
    addEventListener("scroll", put, true);
    addEventListener("resize", put);
    addEventListener("keydown", key);
    addEventListener("pointerdown", outside);
    return () => {
      removeEventListener("scroll", put, true);
      removeEventListener("resize", put);
      removeEventListener("keydown", key);
      removeEventListener("pointerdown", outside);
    };
  }, [Boolean(shown)]);
  return html`<span class="help" ref=${place} onPointerEnter=${come} onPointerLeave=${leave}>
    <${IconButton} icon="help" class="help-button" label=${t("app.help.about", { what: head })} title="" onClick=${click}
      aria-expanded=${shown ? "true" : "false"} aria-controls=${shown ? id : undefined} />
    ${
      shown &&
      html`<div ref=${box} id=${id} class="help-box" popover="manual" role="note" aria-label=${head}>
      <p class="help-head">${head}</p>
      ${body.split("\n").map((line) => html`<p>${line}</p>`)}
      ${formula && html`<p class="note">${t("app.formula")}</p><p class="formula">${formula}</p>`}
      ${source && html`<p class="note">${t("app.source")}: ${source}</p>`}
      ${term && has(`term.${term}.example`) && html`<p class="example">${t("app.example")}: ${t(`term.${term}.example`)}</p>`}
    </div>`
    }
  </span>`;
}

// Below the question mark, above it where there is no room, and never over the window's edge.
function putBeside(box, mark) {
  const { offsetWidth: wide, offsetHeight: tall } = box;
  const below = mark.bottom + 8 + tall <= innerHeight - EDGE || mark.top < tall + EDGE;
  box.style.left = `${Math.max(EDGE, Math.min(mark.left - 24, innerWidth - wide - EDGE))}px`;
  box.style.top = `${below ? Math.min(mark.bottom + 8, Math.max(EDGE, innerHeight - tall - EDGE)) : mark.top - tall - 8}px`;
}
