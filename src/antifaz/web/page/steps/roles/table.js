// The columns, each with its role, why that one is proposed, and what is in it.
import { html } from "../../html.js";
import { number, t, tn } from "../../words.js";
import { titleOf } from "../../declared.js";
import { Button } from "../../components/button.js";
import { Help } from "../../components/help.js";

export const ROLES = ["identifier", "person", "quasi-identifier", "sensitive", "insensitive"];

export function RoleName({ role }) {
  return html`<span class="role-name"><span class=${`role-mark ${role}`} aria-hidden="true"></span>${titleOf("role", role)}</span>`;
}

/** `picked`: the names of the columns that are selected, or null where there are too few to select among. */
export function RoleTable({ columns, roles, proposed, onChange, picked, onPick }) {
  const all = picked && columns.length > 0 && columns.every(({ name }) => picked.has(name));
  const some = picked && columns.some(({ name }) => picked.has(name));
  return html`<div class="table-box plain" tabindex="0" role="region" aria-label=${t("roles.columns")}>
    <table class="plain role-table">
      <thead><tr>
        <th scope="col">${picked && html`<input type="checkbox" class="pick" aria-label=${t("roles.pick.all")} checked=${all} ref=${(box) => box && (box.indeterminate = some && !all)} onChange=${(event) => onPick(columns.map(({ name }) => name), event.target.checked)} />`}${t("data.column")}</th>
        ${ROLES.map((role) => html`<th scope="col" class="role-head"><${RoleName} role=${role} /><${Help} term=${role} /></th>`)}
        <th scope="col">${t("roles.reason")}</th>
      </tr></thead>
      <tbody>${columns.map((column) => html`<${Line} key=${column.name} column=${column} role=${roles[column.name]} proposal=${proposed[column.name]} onChange=${onChange} picked=${picked?.has(column.name)} onPick=${picked && onPick} />`)}</tbody>
    </table>
  </div>`;
}

function Line({ column, role, proposal, onChange, picked, onPick }) {
  const facts = [t(`type.${column.type}`), t("roles.distinct", { count: column.distinct })];
  if (column.missing) facts.push(t("roles.missing", { count: number(column.missing) }));
  const common = (column.common ?? []).slice(0, 3).map((one) => (Array.isArray(one) ? one[0] : (one?.value ?? one)));
  return html`<tr class=${picked ? "picked" : ""}>
    <th scope="row">${onPick && html`<input type="checkbox" class="pick" aria-label=${t("roles.pick", { column: column.name })} checked=${picked} onChange=${(event) => onPick([column.name], event.target.checked)} />`}<span class="column-name cut" title=${column.name}>${column.name}</span><span class="th-note">${facts.join(" · ")}</span>
      ${common.length > 0 && html`<span class="th-note values cut" title=${common.join(", ")}>${common.join(", ")}${column.distinct > common.length ? ", …" : ""}</span>`}</th>
    ${ROLES.map(
      (one) => html`<td key=${one} class=${`role-cell${one === role ? " chosen" : ""}`}>
      <label class="role-choice"><input type="radio" name=${`role-${column.name}`} checked=${one === role}
        onChange=${() => onChange(column.name, one)} />
        <span class="unseen">${column.name}: </span><span class="role-label">${titleOf("role", one)}</span></label>
    </td>`,
    )}
    <td class="reason">${proposal?.role !== role && html`<span class="badge accent">${t("roles.yours")}</span> `}<span
      class="note">${proposal?.role !== role && proposal ? t("roles.proposed", { role: titleOf("role", proposal.role) }) : ""} ${proposal?.reason}</span></td>
  </tr>`;
}

/** One role for all columns that are selected. */
export function RolesAtOnce({ picked, onSet, onClear }) {
  if (!picked?.size) return null;
  return html`<div class="at-once" role="group" aria-label=${t("roles.at.once")}>
    <p>${tn("roles.picked", picked.size)}</p>
    <div class="buttons">${ROLES.map((role) => html`<${Button} small key=${role} onClick=${() => onSet(role)}><${RoleName} role=${role} /><//>`)}
      <${Button} small kind="quiet" icon="close" onClick=${onClear}>${t("roles.pick.none")}<//></div>
  </div>`;
}
