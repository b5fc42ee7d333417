// Buttons, and links that look like them.
import { html } from "../html.js";
import { Icon } from "./icon.js";

// kind: primary | plain | quiet | danger
export function Button({
  kind = "plain",
  icon,
  busy = false,
  disabled = false,
  small = false,
  class: extra = "",
  children,
  type = "button",
  ...rest
}) {
  const classes = `button ${kind}${small ? " small" : ""}${busy ? " busy" : ""} ${extra}`;
  return html`<button type=${type} class=${classes} disabled=${disabled || busy} aria-busy=${busy ? "true" : undefined} ...${rest}>
    ${busy ? html`<${Icon} name="wait" size=${18} />` : icon && html`<${Icon} name=${icon} size=${18} />`}
    ${children !== undefined && html`<span>${children}</span>`}
  </button>`;
}

// A button of which only the picture is seen; its label is read aloud and shown on hovering.
export function IconButton({ icon, label, kind = "quiet", class: extra = "", ...rest }) {
  return html`<button type="button" class=${`button icon-only ${kind} ${extra}`} aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${icon} size=${18} />
  </button>`;
}

export function LinkButton({ kind = "plain", icon, small = false, class: extra = "", children, ...rest }) {
  return html`<a class=${`button ${kind}${small ? " small" : ""} ${extra}`} ...${rest}>
    ${icon && html`<${Icon} name=${icon} size=${18} />`}<span>${children}</span>
  </a>`;
}
