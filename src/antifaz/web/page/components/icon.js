// Small pictures drawn with the colour of the text around them; words always stand beside them or in a label.
import { html } from "../html.js";

const PATHS = {
  add: "M12 5v14M5 12h14",
  back: "M15 5l-7 7 7 7",
  bin: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v6M14 11v6",
  check: "M5 12.500l4.500 4.500L19 7.500",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  data: "M12 4c4.400 0 8 1.300 8 3s-3.600 3-8 3-8-1.300-8-3 3.600-3 8-3zM4 7v10c0 1.700 3.600 3 8 3s8-1.300 8-3V7M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3",
  down: "M6 9l6 6 6-6",
  download: "M12 4v11M7 10.500l5 5 5-5M5 20h14",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  folder: "M3 6h6l2 2.500h10V19H3z",
  forward: "M9 5l7 7-7 7",
  help: "M9 9.200C9.300 7.400 10.500 6.500 12 6.500c1.700 0 3 1 3 2.600 0 2.200-3 2.400-3 4.900M12 17.500v.100",
  info: "M12 11v6M12 7.500v.100M12 3a9 9 0 100 18 9 9 0 000-18z",
  moon: "M20 14.500A8.500 8.500 0 019.500 4 8.500 8.500 0 1020 14.500z",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  play: "M7 5l12 7-12 7z",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  upload: "M12 20V9M7 13.500l5-5 5 5M5 4h14",
  up: "M6 15l6-6 6 6",
  wait: "M12 3a9 9 0 109 9",
  wand: "M4 20L15 9M17 3v4M15 5h4M20 11v3M18.500 12.500h3M9 4v2M8 5h2",
  warning: "M12 4l9.500 16h-19zM12 10v4.500M12 17.300v.100",
};

export function Icon({ name, size = 20 }) {
  const wide = `${size / 16}rem`; // it grows with the letters
  return html`<svg class=${`icon icon-${name}`} style=${{ width: wide, height: wide }} viewBox="0 0 24 24" fill="none" stroke="currentColor"
    stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
}
