// Reads the table that the service exports: cells between separators, quotes doubled inside quotes.

/** Return the rows of a CSV text. */
export function parse(text, separator = ";") {
  const rows = [];
  let row = [], cell = "", quoted = false, started = false;
  const endCell = () => { row.push(cell); cell = ""; started = false; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length; i += 1) {
    const mark = text[i];
    if (quoted) {
      if (mark !== '"') cell += mark;
      else if (text[i + 1] === '"') { cell += mark; i += 1; } else quoted = false;
    } else if (mark === '"' && !started) { quoted = true; started = true; }
    else if (mark === separator) endCell();
    else if (mark === "\n") endRow();
    else if (mark !== "\r" || text[i + 1] !== "\n") { cell += mark; started = true; }
  }
  if (cell || row.length || started) endRow();
  return rows;
}
