// The explorer in a notebook (anywidget): it asks the kernel by messages, and nothing of the data is in the widget's
// state, which notebooks may save.
import { Button } from "../components/button.js";
import { Explorer } from "../components/explorer/explorer.js";
import { html, render as draw, useState } from "../html.js";
import { learn, t } from "../words.js";

function Widget({ about, ask, model }) {
  const [chosen, setChosen] = useState(false);
  const take = (choice) => {
    model.set("choice", choice);
    model.save_changes();
    setChosen(true);
  };
  const actions = (choice, found) => html`<${Button} kind="primary" icon="check" disabled=${!found.holds} onClick=${() => take(choice)}>${t("explore.notebook.take")}<//>
    <span class="note" role="status">${chosen ? t("explore.notebook.taken") : ""}</span>`;
  return html`<${Explorer} about=${about} ask=${ask} actions=${actions} />`;
}

const isDark = (element) => {
  const [red, green, blue] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return red + green + blue > 380; // light letters are written on dark paper
};

export default {
  render({ model, el }) {
    const waiting = new Map();
    let last = 0;
    const hear = ({ id, answer, error }) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (error) one?.reject(new Error(error));
      else one?.resolve(answer);
    };
    const ask = (asked) => new Promise((resolve, reject) => {
      last += 1;
      waiting.set(`${model.model_id ?? ""}.${last}`, { resolve, reject });
      model.send({ id: `${model.model_id ?? ""}.${last}`, asked });
    });
    model.on("msg:custom", hear);
    el.classList.add("antifaz-widget");
    el.dataset.theme = isDark(el) ? "dark" : "light";
    ask({}).then(({ about, words, language }) => {
      learn(words, language);
      draw(html`<${Widget} ...${{ about, ask, model }} />`, el);
    }, (error) => { el.textContent = error.message; });
    return () => { model.off("msg:custom", hear); draw(null, el); };
  },
};
