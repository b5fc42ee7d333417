// A fingerprint that can be compared and copied.
import { html, useState } from "../html.js";
import { t } from "../words.js";
import { IconButton } from "./button.js";
import { announce } from "./notice.js";

export function Hash({ value, name }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      announce(t("release.copied"));
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // Some browsers forbid it; the text can still be selected.
    }
  };
  return html`<span class="hash"><code>${value}</code>
    <${IconButton} icon=${copied ? "check" : "copy"} label=${copied ? t("release.copied") : t("release.copy", { name })} onClick=${copy} /></span>`;
}
