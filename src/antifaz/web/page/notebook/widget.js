// The explorer in a notebook (anywidget): it asks the kernel by messages, and nothing of the data is in the widget's
// state, which notebooks may save.
import { Button } from "../components/button.js";
import { Explorer } from "../components/explorer/explorer.js";
import { Frontier } from "../components/explorer/frontier.js";
import { ErrorNotice, ProgressBar } from "../components/notice.js";
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
  return html`<${Explorer} about=${about} ask=${ask} actions=${actions} /><${AllMethods} ask=${ask} take=${take} />`;
}

/** All methods that fit, tried when somebody wants it: that takes the kernel a while. */
function AllMethods({ ask, take }) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  const [share, setShare] = useState(null);
  const begin = () => {
    setShare(0);
    setProblem(null);
    ask({ frontier: true }, setShare).then(setFound, setProblem).finally(() => setShare(null));
  };
  const onTake = async (point) => {
    const { checks, ...method } = found.settings[point.method]; // how long the search was allowed to be is no part of it
    take({ k: point.k, method });
    return t("explore.notebook.taken");
  };
  return html`<section class="explorer-frontier">
    <div class="panel-head"><div><h3>${t("explore.frontier")}</h3><p class="note">${t("explore.frontier.note")}</p></div>
      <${Button} icon="play" busy=${share !== null} onClick=${begin}>${t(found ? "explore.frontier.again" : "explore.frontier.start")}<//></div>
    ${share !== null && html`<${ProgressBar} share=${share} label=${t("explore.frontier")} />`}
    <${ErrorNotice} error=${problem} />
    ${found && html`<${Frontier} key=${found} found=${found} take=${t("explore.notebook.take")} onTake=${onTake} heading="h4" />`}
  </section>`;
}

const isDark = (element) => {
  const [red, green, blue] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return red + green + blue > 380; // light letters are written on dark paper
};

export default {
  render({ model, el }) {
    const waiting = new Map();
    let last = 0;
    const hear = ({ id, answer, error, share }) => {
      const one = waiting.get(id);
      if (share !== undefined) return one?.progress?.(share);
      waiting.delete(id);
      if (error) one?.reject(new Error(error));
      else one?.resolve(answer);
    };
    const ask = (asked, progress) => new Promise((resolve, reject) => {
      last += 1;
      waiting.set(`${model.model_id ?? ""}.${last}`, { resolve, reject, progress });
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
