// The queue of lines.
import { keyboard } from "./keyboard.js";
import { element, emit, get, on, one, percent, post, show as open, stand, standing, view } from "./page.js";

let lines = [], at = 0, loading = false, again = false;

const picture = line => element("img", { src: line.picture, alt: line.text, loading: "lazy" });

const draw = () => {
  const line = lines[at];
  one("card").hidden = !line;
  one("end").hidden = Boolean(line);
  one("end").textContent = one("find").value || one("show").value !== "doubtful" ? "No such line." : "Every line has been read. Thank you.";
  one("coming").replaceChildren(...lines.flatMap((next, i) => {
    if (i === at) return [];
    const choose = element("button", { type: "button", className: "row" }, picture(next), element("span", { textContent: next.text }));
    choose.addEventListener("click", () => {
      at = i;
      draw();
    });
    return [element("li", {}, choose)];
  }));
  if (!line) return;
  one("name").textContent = line.said ? `${line.name}: read by you` : `${line.name}: ${percent(line.error)} expected to be wrong`;
  if (one("scan").getAttribute("src") !== line.picture) one("scan").src = line.picture;
  one("read").replaceChildren(...parts(line, (begin, end) => {
    const mark = one("where");
    mark.hidden = begin === null;
    if (begin !== null) mark.style.cssText = `left:${100 * begin}%;width:${100 * Math.max(end - begin, 0.004)}%`;
  }, (i, other) => {
    one("text").value = line.parts.map(([text], k) => (k === i ? other : text)).join("");
    one("text").focus();
  }));
  if (one("text").dataset.key !== line.key + line.text) {
    one("text").value = line.text;
    one("text").dataset.key = line.key + line.text;
  }
  if (view === "lines" && ![one("find"), one("show")].includes(document.activeElement)) one("text").focus();
};

// Each character of a line; doubtful ones coloured, with what else they might be.
export const parts = (line, point, replace) => line.parts.map(([text, level, others, begin, end], i) => {
  const part = element(level ? "b" : "span", { textContent: text, className: level ? "d" + level : "" });
  if (level) part.title = others.length ? "or " + others.join(", ") : "doubtful";
  part.addEventListener("pointerenter", () => point(begin, end));
  part.addEventListener("pointerleave", () => point(null));
  if (level && others.length && replace) part.addEventListener("click", () => replace(i, others[0]));
  return part;
});

// What was asked for before the last action is not drawn: it would take the line from under the hands of who types.
export const load = async () => {
  if (view !== "lines") return;
  again = loading;
  if (loading) return;
  loading = true;
  try {
    let found;
    do {
      again = false;
      const asked = new URLSearchParams({ show: one("show").value, find: one("find").value });
      found = await get("next?" + asked);
    } while (again);
    lines = found.lines;
    at = 0;
    stand(found);
    draw();
  } finally {
    loading = false;
  }
};

one("say").addEventListener("submit", async event => {
  event.preventDefault();
  const line = lines[at];
  if (!line) return;
  const text = one("text").value;
  lines.splice(at, 1);
  at = 0;
  draw(); // the next line, at once: whoever types on must not write into the one that was said
  const now = await post("say", { key: line.key, text });
  if (now) stand(now);
  await load();
});
one("text").addEventListener("keydown", async event => {
  if (event.key === "z" && (event.ctrlKey || event.metaKey) && lines[at] && one("text").value === lines[at].text) {
    event.preventDefault();
    const now = await post("undo", {});
    if (now) stand(now), emit("changed");
  }
});
one("choose").addEventListener("submit", event => event.preventDefault());
one("show").addEventListener("change", load);
let waiting = 0;
one("find").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(load, 200);
});
one("keys").addEventListener("toggle", () => keyboard(one("keyboard"), one("text")));
on("view", name => name === "lines" && load());
on("changed", load);
export const openLine = line => {
  open("lines");
  one("show").value = "doubtful";
  one("find").value = line.text;
  load();
};
