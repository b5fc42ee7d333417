// Something folded away under its title. What opens it may go; it stays open until a person closes it.
import { html, useEffect, useState } from "../html.js";

export function Fold({ title, open = false, class: extra = "", children }) {
  const [shown, setShown] = useState(open);
  useEffect(() => {
    if (open) setShown(true);
  }, [open]);
  return html`<details class=${extra} open=${shown} onToggle=${(event) => setShown(event.currentTarget.open)}><summary>${title}</summary>${children}</details>`;
}
