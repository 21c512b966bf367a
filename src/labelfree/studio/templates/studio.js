// The page as a whole: its parts, how things stand, the news of every change.
import { emit, get, on, one, percent, post, problem, show, stand, standing, view } from "./page.js";
import "./learn.js";
import "./lines.js";
import "./alphabet.js";
import "./pages.js";

on("standing", now => {
  one("undo").disabled = !now.steps;
  const has = now.current !== null && now.current !== undefined;
  for (const tab of ["lines", "alphabet", "pages", "export"]) document.querySelector(`[data-view=${tab}]`).disabled = !has;
  one("standing").textContent = has
    ? `${now.said} read by you, ${now.left} left; ${percent(now.error)} of all characters expected to be wrong` +
      (now.marked ? `; ${now.marked} characters named` : "")
    : "Nothing has been read yet.";
});

one("tabs").addEventListener("click", event => event.target.dataset.view && show(event.target.dataset.view));
one("undo").addEventListener("click", async () => {
  const now = await post("undo", {});
  if (now) stand(now), emit("changed");
});
one("import").addEventListener("change", async event => {
  let lines = 0;
  for (const file of event.target.files) {
    const taken = await post("import?name=" + encodeURIComponent(file.name), file);
    if (!taken) return;
    lines += taken.lines;
  }
  event.target.value = "";
  one("imported").textContent = `${lines} lines that were read otherwise`;
  stand(await get("standing"));
  emit("changed");
});
window.addEventListener("hashchange", () => show(location.hash.slice(1)));

const start = async () => {
  const now = await get("standing");
  stand(now);
  emit("choices", now);
  now.seen.forEach(event => emit(event.event, event));
  const wanted = location.hash.slice(1);
  show(wanted || (now.current === null || now.busy ? "learn" : "lines"));
  let version = now.version, current = now.current;
  const news = new EventSource("events");
  news.addEventListener("message", message => {
    const told = JSON.parse(message.data);
    if (told.event === "standing") {
      stand(told);
      if (told.version !== version || told.current !== current) emit("changed");
      [version, current] = [told.version, told.current];
    } else emit(told.event, told);
  });
  news.addEventListener("error", () => problem(news.readyState === EventSource.CLOSED ? "The studio was closed. Open it again in the shell, and load its new address." : ""));
};
on("learned", async () => {
  stand(await get("standing"));
  emit("changed");
  if (view === "learn") show("learn");
});
start().catch(error => problem(error.message));
