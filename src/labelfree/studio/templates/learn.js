// Files, choices, and a run of learning as it goes on.
import { element, get, on, one, percent, post, problem, show, stand, visible } from "./page.js";

const size = bytes => (bytes > 1e6 ? (bytes / 1e6).toFixed(1) + " MB" : Math.ceil(bytes / 1e3) + " kB");
const span = seconds => (seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);
const names = { cut: "cutting lines into characters", "shape-prior": "measuring shapes", tiles: "learning what each character is", "tiles-2": "learning again from what was read, corrected", lines: "teaching whole lines", "lines-2": "teaching whole lines again", "lines-3": "and once more", "page-numbers": "learning figures from page numbers", rescoring: "choosing among readings", confidence: "judging how sure it is" };

const kindOf = file => (/\.(txt|gz)$/i.test(file.name) ? "text" : "scans");
const send = async (files, kind) => {
  for (const file of files) {
    problem("");
    const now = await post(`upload?kind=${kind ?? kindOf(file)}&name=${encodeURIComponent(file.name)}`, file);
    if (!now) return;
    stand(now);
  }
};
for (const [id, kind] of [["scans", "scans"], ["texts", "text"]])
  one(id).addEventListener("change", async event => {
    await send([...event.target.files], kind);
    event.target.value = "";
  });
const drop = one("drop");
for (const name of ["dragenter", "dragover"])
  document.addEventListener(name, event => {
    event.preventDefault();
    drop.classList.add("over");
  });
document.addEventListener("dragleave", event => event.relatedTarget || drop.classList.remove("over"));
document.addEventListener("drop", event => {
  event.preventDefault();
  drop.classList.remove("over");
  show("learn");
  send([...event.dataTransfer.files]);
});

on("choices", now => {
  const spoken = new Intl.DisplayNames(["en"], { type: "language" });
  const listed = now.languages.map(code => [code, spoken.of(code) ?? code]).sort((a, b) => a[1].localeCompare(b[1]));
  one("lang").append(...listed.map(([code, name]) => element("option", { value: code, textContent: `${name} (${code})` })));
  one("script").append(...now.scripts.map(([name, about]) => element("option", { value: name, textContent: `${name}: ${about}` })));
  const wishes = now.wishes ?? { lang: now.language || "auto", script: "", long_s: false, fast: true };
  one("lang").value = wishes.lang;
  one("script").value = wishes.script;
  one("long_s").checked = wishes.long_s;
  one("fast").checked = wishes.fast;
});

one("wishes").addEventListener("submit", async event => {
  event.preventDefault();
  const now = await post("learn", { lang: one("lang").value, script: one("script").value, long_s: one("long_s").checked, fast: one("fast").checked });
  if (!now) return;
  clear();
  stand(now);
});
one("stop").addEventListener("click", async () => {
  const now = await post("stop", {});
  if (now) stand(now);
});

const clear = () => {
  one("stage").textContent = "beginning";
  one("live-picture").hidden = true;
  one("whole").removeAttribute("value");
  for (const id of ["live-text", "live-facts", "live-alphabet", "warnings"]) one(id).replaceChildren();
  shown = "";
};

on("standing", now => {
  const files = [...now.files.map(file => ["scans", file]), ...now.texts.map(file => ["text", file])];
  one("files").replaceChildren(...files.map(([kind, { name, bytes }]) => {
    const remove = element("button", { type: "button", textContent: "Remove", ariaLabel: `Remove ${name}` });
    remove.addEventListener("click", async () => {
      const told = await post("drop", { kind, name });
      if (told) stand(told);
    });
    return element("li", {}, element("span", { textContent: name }), element("span", { className: "help", textContent: `${kind === "text" ? "text in its language, " : ""}${size(bytes)}` }), remove);
  }));
  const has = now.current !== null && now.current !== undefined;
  one("prepare").hidden = now.busy;
  one("watch").hidden = !now.busy;
  one("begin").textContent = has ? "Learn again" : "Learn to read";
  one("begin").disabled = !now.files.length && !has;
  one("from-hints").textContent = has && (now.said || now.marked) ? `from ${now.said} lines and ${now.marked} characters that you corrected, too` : "";
  one("outcome").hidden = !has || now.busy;
  one("verdict").textContent = now.verdict ?? "";
  one("verdict").className = now.believed ? "believed" : "doubted";
  one("reason").textContent = now.reason ?? "";
  const runs = now.runs.filter(run => run.status !== "learning");
  one("readings").hidden = !runs.length;
  one("runs").replaceChildren(...runs.map(run => {
    const told = { done: run.error_rate === null ? "" : `${percent(run.error_rate ?? 0)} expected to be wrong`, failed: run.error, stopped: "stopped" }[run.status] ?? "";
    const item = element("li", {}, element("span", { textContent: `Reading ${run.number}: ${told}` }));
    if (run.status === "done" && run.number !== now.current) {
      const choose = element("button", { type: "button", textContent: "Show this one", ariaLabel: `Show reading ${run.number}` });
      choose.addEventListener("click", async () => {
        const told = await post("show", { number: run.number });
        if (told) stand(told);
      });
      item.append(choose);
    } else if (run.number === now.current) item.append(element("strong", { textContent: "shown" }));
    return item;
  }));
});

let shown = "";
on("stage", told => {
  const name = names[told.part] ?? told.name;
  const detail = told.total ? ` – ${told.done.toLocaleString()} of ${told.total.toLocaleString()}` : "";
  one("stage").textContent = (told.number ? `${told.number} of ${told.parts}: ${name}` : told.name) + detail + (told.left === null ? "" : `; about ${span(told.left)} left`);
  if (told.number) one("whole").value = (told.number - 1 + (told.total ? told.done / told.total : 0)) / told.parts;
});
on("pages", told => (one("live-facts").textContent = `${told.lines} lines on ${told.pages} pages`));
on("language", told => one("warnings").append(element("li", { textContent: told.text })));
on("warning", told => one("warnings").append(element("li", { textContent: told.text })));
on("line", told => {
  one("live-picture").src = told.picture;
  one("live-picture").hidden = false;
});
on("read", told => {
  one("live-text").replaceChildren(...[...told.text].map((letter, i) => element("span", { textContent: letter, className: shown && letter !== shown[i] ? "new" : "" })));
  shown = told.text;
  if (told.error !== undefined) one("live-facts").textContent = `${percent(told.error)} of the characters expected to be wrong by now`;
  one("live-alphabet").replaceChildren(...told.alphabet.map(([symbol, count, picture]) =>
    element("div", { className: "case", title: `${count} places` }, element("img", { src: picture, alt: "" }), element("span", { textContent: visible(symbol) }))));
});
on("learned", told => {
  one("changed").replaceChildren();
  if (told.number < 2 && !told.changed) return;
  const see = element("button", { type: "button", textContent: "See them" });
  see.addEventListener("click", () => {
    one("show").value = "changed";
    show("lines");
  });
  one("changed").append(`${told.changed} other places changed. `, told.changed ? see : "");
});
on("failed", told => problem(told.text));
on("stopped", async () => stand(await get("standing")));
