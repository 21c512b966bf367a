// A page and its text, locked together.
import { element, get, on, one, standing, view } from "./page.js";
import { openLine, parts } from "./lines.js";

let number = 0, page = null;

const load = async () => {
  if (view !== "pages") return;
  number = Math.min(Math.max(number, 0), Math.max(standing.n_pages - 1, 0));
  page = await get("page/" + number);
  one("number").value = number + 1;
  one("number").max = standing.n_pages;
  one("page-name").textContent = `of ${standing.n_pages}: ${page.name}`;
  one("page-picture").src = page.picture;
  const box = ([x0, y0, x1, y1], name) => {
    const made = element("span", { className: name });
    made.style.cssText = `left:${(100 * x0) / page.width}%;top:${(100 * y0) / page.height}%;width:${(100 * (x1 - x0)) / page.width}%;height:${(100 * (y1 - y0)) / page.height}%`;
    return made;
  };
  const boxes = page.lines.map(line => box(line.box, "line"));
  const texts = page.lines.map((line, i) => {
    const text = element("button", { type: "button", className: "row" }, ...parts(line, () => {}));
    text.addEventListener("click", () => openLine(line));
    for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]])
      text.addEventListener(event, () => point(i, on));
    return element("li", {}, text);
  });
  const point = (i, on) => {
    boxes[i].classList.toggle("on", on);
    texts[i].classList.toggle("on", on);
    if (on) boxes[i].scrollIntoView({ block: "nearest" });
  };
  boxes.forEach((each, i) => {
    each.addEventListener("pointerenter", () => {
      point(i, true);
      texts[i].scrollIntoView({ block: "nearest" });
    });
    each.addEventListener("pointerleave", () => point(i, false));
    each.addEventListener("click", () => openLine(page.lines[i]));
  });
  const words = one("words").checked ? page.lines.flatMap(line => line.words.map(([, place]) => box(place, "word"))) : [];
  one("boxes").replaceChildren(...words, ...boxes);
  one("page-text").replaceChildren(...texts);
};
const turn = by => {
  number += by;
  load();
};
one("before").addEventListener("click", () => turn(-1));
one("after").addEventListener("click", () => turn(1));
one("number").addEventListener("change", event => {
  number = event.target.valueAsNumber - 1 || 0;
  load();
});
one("words").addEventListener("change", load);
one("turn").addEventListener("submit", event => event.preventDefault());
on("view", name => name === "pages" && load());
on("changed", load);
