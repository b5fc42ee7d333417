// A hierarchy as a tree. Values and groups are dragged by their handle, or moved with the keyboard: both end in `move`.
import { html, useEffect, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../words.js";
import { height, labels, move, nodeKey, rename, tree, visible } from "./rows.js";

const ROW = 38;
const MORE = 8;
const TALL = 11 * ROW;
const NEW = "\u0000new";

export function TreeView({ rows, onChange, say }) {
  const nodes = useMemo(() => tree(rows), [rows]);
  const [open, setOpen] = useState(() => new Set(nodes.map(nodeKey)));
  const shown = useMemo(() => visible(nodes, open), [nodes, open]);
  const [at, setAt] = useState("");
  const [picked, setPicked] = useState(new Set());
  const place = Math.max(0, shown.findIndex(({ node }) => nodeKey(node) === at));
  const here = shown[place]?.node;
  const level = Number([...picked][0]?.split("\u0000")[0] ?? -1);
  const names = [...picked].map((key) => key.split("\u0000").slice(1).join("\u0000"));
  const list = useRef(null);

  const toggle = (node, wanted) => setOpen((now) => {
    const next = new Set(now);
    if (wanted ?? !next.has(nodeKey(node))) next.add(nodeKey(node)); else next.delete(nodeKey(node));
    return next;
  });
  const pick = (node, together) => setPicked((now) => {
    const key = nodeKey(node);
    if (!together || node.level !== level) return new Set([key]);
    const next = new Set(now);
    if (next.has(key)) next.delete(key); else next.add(key);
    return next;
  });
  const moveTo = (from, which, group) => {
    onChange(move(rows, from, which, group));
    setPicked(new Set());
    setOpen((now) => new Set([...now, `${from + 1}\u0000${group}`]));
    say(t("tree.moved", { what: which.length === 1 ? which[0] : t("tree.count", { count: which.length }), group }));
  };
  const drag = useDrag({ list, rows, picked, level, names, moveTo });

  const keys = {
    ArrowDown: () => go(place + 1), ArrowUp: () => go(place - 1), Home: () => go(0), End: () => go(shown.length - 1),
    ArrowRight: () => (here.children.length && !open.has(nodeKey(here)) ? toggle(here, true) : here.children.length && go(place + 1)),
    ArrowLeft: () => {
      if (here.children.length && open.has(nodeKey(here))) return toggle(here, false);
      const up = shown.slice(0, place).findLastIndex(({ depth }) => depth < shown[place].depth);
      return up >= 0 && go(up);
    },
    " ": (event) => pick(here, event.shiftKey || event.ctrlKey || picked.size > 0),
    Enter: () => pick(here, false),
    F2: () => { pick(here, false); focus("tree-rename"); },
    m: () => { if (!picked.has(nodeKey(here))) pick(here, false); focus("tree-move"); },
  };
  const focus = (id) => setTimeout(() => document.getElementById(id)?.focus(), 30);
  const go = (next) => {
    const to = shown[Math.min(shown.length - 1, Math.max(0, next))];
    if (to) setAt(nodeKey(to.node));
  };
  const onKey = (event) => {
    if (event.target !== event.currentTarget || !here || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(event); }
  };
  return html`<div class="tree-view">
    <p class="hint" id="tree-keys">${t("tree.keys")}</p>
    <${NodeList} ...${{ list, shown, place, open, picked, drag, onKey, toggle, pick, setAt, top: height(rows) }} />
    <${Actions} ...${{ rows, level, names, moveTo, onChange, setPicked, say }} />
  </div>`;
}

function NodeList({ list, shown, place, open, picked, drag, onKey, toggle, pick, setAt, top }) {
  const [first, setFirst] = useState(0);
  const tall = Math.min(TALL, Math.max(4, shown.length) * ROW + 2);
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    if (place * ROW < box.scrollTop) box.scrollTop = place * ROW;
    else if ((place + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (place + 1) * ROW - box.clientHeight;
  }, [place]);
  const from = Math.max(0, first - MORE);
  const part = shown.slice(from, first + Math.ceil(tall / ROW) + MORE);
  const click = (event, node) => {
    setAt(nodeKey(node));
    if (event.target.closest(".tree-twist")) toggle(node);
    else pick(node, event.ctrlKey || event.metaKey || event.shiftKey);
  };
  return html`<div class="tree-list" role="tree" tabindex="0" ref=${list} aria-label=${t("tree.title")} aria-multiselectable="true"
      aria-describedby="tree-keys" style=${{ height: `${tall}px` }} aria-activedescendant=${shown.length ? `tree-node-${place}` : undefined}
      onKeyDown=${onKey} onScroll=${(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW))}>
    <div role="none" class="tree-room" style=${{ height: `${shown.length * ROW}px` }}>
      ${part.map(({ node, depth, place: inGroup, of }, i) => {
        const [key, index] = [nodeKey(node), from + i];
        const group = node.children.length > 0;
        const classes = ["tree-node", index === place && "is-at", picked.has(key) && "is-picked", drag.over === key && "is-over", group && "is-group"];
        return html`<div role="treeitem" key=${key} id=${`tree-node-${index}`} data-key=${key} class=${classes.filter(Boolean).join(" ")}
            aria-level=${depth} aria-setsize=${of} aria-posinset=${inGroup} aria-selected=${picked.has(key)}
            aria-expanded=${group ? open.has(key) : undefined}
            style=${{ top: `${index * ROW}px`, paddingInlineStart: `${0.4 + (depth - 1) * 1.3}rem` }} onClick=${(event) => click(event, node)}>
          <span class="tree-twist" aria-hidden="true">${group ? (open.has(key) ? "▾" : "▸") : ""}</span>
          ${node.level < top && html`<span class="tree-grip" aria-hidden="true" title=${t("tree.drag")} ...${drag.handlers(node)}>⠿</span>`}
          <span class="tree-label">${node.label}</span>
          ${group && html`<span class="tree-count">${node.leaves.toLocaleString()}</span>`}
        </div>`;
      })}
    </div>
  </div>`;
}

/** What can be done with what is selected. */
function Actions({ rows, level, names, moveTo, onChange, setPicked, say }) {
  const [group, setGroup] = useState("");
  const [name, setName] = useState("");
  const above = level >= 0 && level < height(rows) ? labels(rows, level + 1) : [];
  const one = names.length === 1 ? names[0] : null;
  useEffect(() => { setName(one ?? ""); setGroup(""); }, [one, level, names.length]);
  if (!names.length) return html`<p class="hint">${t("tree.none")}</p>`;
  const target = group === NEW ? name : group;
  const doMove = (event) => { event.preventDefault(); if (target.trim()) moveTo(level, names, target); };
  const doRename = (event) => {
    event.preventDefault();
    onChange(rename(rows, level, one, name));
    setPicked(new Set());
    say(t("tree.renamed", { name }));
  };
  const text = (id, label) => html`<label class="tree-field" for=${id}><span>${label}</span>
    <input id=${id} value=${name} onInput=${(event) => setName(event.target.value)} autocomplete="off" /></label>`;
  return html`<div class="tree-actions">
    <p class="tree-chosen"><strong>${one ?? t("tree.count", { count: names.length })}</strong></p>
    ${above.length > 0 && html`<form class="tree-form" onSubmit=${doMove}>
      <label class="tree-field" for="tree-move"><span>${t("tree.moveTo")}</span>
        <select id="tree-move" value=${group} onChange=${(event) => { setGroup(event.target.value); if (event.target.value === NEW) setName(""); }}>
          <option value="">${t("tree.choose")}</option>
          ${above.map((label) => html`<option value=${label}>${label}</option>`)}
          <option value=${NEW}>${t("tree.newGroup")}</option>
        </select></label>
      ${group === NEW && text("tree-new", t("tree.newName"))}
      <button class="button" disabled=${!target.trim()}>${t("tree.move")}</button>
    </form>`}
    ${level > 0 && one !== null && group !== NEW && html`<form class="tree-form" onSubmit=${doRename}>
      ${text("tree-rename", t("tree.newName"))}
      <button class="button" disabled=${!name.trim() || name === one}>${t("tree.rename")}</button>
    </form>`}
  </div>`;
}

/** Dragging by pointer events: a finger, a pen and a mouse are the same. */
function useDrag({ list, rows, picked, level, names, moveTo }) {
  const [over, setOver] = useState("");
  const held = useRef(null);
  const groupAt = (x, y) => {
    const key = document.elementFromPoint(x, y)?.closest?.("[data-key]")?.dataset.key;
    if (!key || !held.current) return null;
    const [found, ...label] = key.split("\u0000");
    const name = label.join("\u0000");
    if (Number(found) === held.current.level + 1) return { key, group: name };
    if (Number(found) !== held.current.level) return null;
    // Dropped on a value: into the group that the value is in.
    const group = rows.find((row) => row[held.current.level] === name)?.[held.current.level + 1];
    return group === undefined ? null : { key: `${held.current.level + 1}\u0000${group}`, group };
  };
  const handlers = (node) => ({
    onPointerDown: (event) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      const several = node.level === level && picked.has(nodeKey(node));
      held.current = { level: node.level, names: several ? names : [node.label] };
    },
    onPointerMove: (event) => {
      if (!held.current) return;
      const box = list.current.getBoundingClientRect();
      if (event.clientY < box.top + 24) list.current.scrollTop -= 12;
      if (event.clientY > box.bottom - 24) list.current.scrollTop += 12;
      setOver(groupAt(event.clientX, event.clientY)?.key ?? "");
    },
    onPointerUp: (event) => {
      const [target, what] = [groupAt(event.clientX, event.clientY), held.current];
      held.current = null;
      setOver("");
      if (target && what) moveTo(what.level, what.names, target.group);
    },
    onPointerCancel: () => { held.current = null; setOver(""); },
    onClick: (event) => event.stopPropagation(),
  });
  return { over, handlers };
}
