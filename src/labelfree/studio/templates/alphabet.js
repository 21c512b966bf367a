// The specimen sheet: every symbol as the mean of its places, and its places one by one.
import { element, emit, get, on, one, post, show, stand, view, visible } from "./page.js";

let drawn = null, open = null, number = null;
const chosen = new Map();
const HEIGHT = 44, AROUND = 1.6; // pixels of a place, and how much of its neighbours is shown, in heights

const load = async () => {
  if (view !== "alphabet") return;
  if (!drawn) one("specimen").replaceChildren(element("p", { className: "help", textContent: "Measuring every character …" }));
  const found = await get("alphabet");
  number = found.number;
  drawn = found.symbols;
  const families = [...new Set(drawn.map(each => each.family))];
  one("specimen").replaceChildren(...families.flatMap(family => [
    element("h3", { textContent: family }),
    element("div", { className: "cases" }, ...drawn.filter(each => each.family === family).map(caseOf)),
  ]));
  if (open) await look(open, false);
};

const caseOf = each => {
  const about = `${visible(each.symbol)} ${each.count.toLocaleString()} places${each.little ? ", few" : ""}${each.twin ? `, looks like ${each.twin}` : ""}`;
  const made = element("button", { type: "button", className: "case" + (each.little ? " little" : "") + (each.twin ? " twin" : ""), ariaLabel: about, title: about },
    each.mean ? element("img", { src: each.mean, alt: "" }) : element("i", { textContent: "?" }),
    element("span", { textContent: each.symbol }), " ", element("small", { textContent: each.count.toLocaleString() }));
  made.setAttribute("aria-pressed", open === each.symbol);
  made.addEventListener("click", () => look(each.symbol, true));
  return made;
};

const look = async (symbol, goThere, first = 0) => {
  const found = await get(`symbol?first=${first}&symbol=${encodeURIComponent(symbol)}`);
  open = symbol;
  number = found.number;
  if (!first) chosen.clear(), one("places").replaceChildren();
  one("symbol").hidden = !found.count;
  one("symbol-title").textContent = `${visible(symbol)} – ${found.count.toLocaleString()} places, strangers first`;
  one("places").append(...found.places.map(placeOf));
  one("more-places").hidden = first + found.places.length >= found.count;
  one("more-places").onclick = () => look(symbol, false, first + found.places.length);
  one("choose-other").hidden = !found.places.some(each => each.look);
  tellChosen();
  for (const each of document.querySelectorAll("#specimen .case")) each.setAttribute("aria-pressed", each.querySelector("span").textContent === symbol);
  if (goThere) one("symbol").scrollIntoView({ block: "start" }), one("symbol-title").focus({ preventScroll: true });
};

const placeOf = each => {
  // the window of the line's picture in which the character stands
  const width = HEIGHT * each.ratio, around = AROUND * HEIGHT * 0.5;
  const left = each.begin * width - around, right = each.end * width + around;
  const image = element("img", { src: each.picture, alt: "", loading: "lazy" });
  image.style.cssText = `height:${HEIGHT}px;width:${width}px;margin-left:${-left}px`;
  const frame = element("span", { className: "frame" }, image);
  frame.style.cssText = `width:${right - left}px;height:${HEIGHT}px`;
  const mark = element("span", { className: "here" });
  mark.style.cssText = `left:${around}px;width:${Math.max(right - left - 2 * around, 2)}px`;
  frame.append(mark);
  const made = element("button", { type: "button", className: "place look" + each.look, ariaLabel: `in ${each.word}` }, frame, element("small", { textContent: each.word }));
  made.dataset.look = each.look;
  const key = each.place.join();
  made.setAttribute("aria-pressed", "false");
  made.addEventListener("click", () => {
    chosen.has(key) ? chosen.delete(key) : chosen.set(key, each.place);
    made.setAttribute("aria-pressed", chosen.has(key));
    tellChosen();
  });
  return made;
};

const tellChosen = () => {
  one("chosen").textContent = chosen.size ? `${chosen.size} chosen` : "Click the places that are something else.";
  one("mark-button").disabled = !chosen.size;
};
const press = wanted => {
  for (const each of one("places").children) if ((each.getAttribute("aria-pressed") === "true") !== wanted(each)) each.click();
};
one("choose-other").addEventListener("click", () => press(each => each.dataset.look === "1"));
one("choose-none").addEventListener("click", () => press(() => false));

const said = async now => {
  if (!now) return;
  stand(now);
  one("is").value = "";
  emit("changed");
};
one("mark").addEventListener("submit", async event => {
  event.preventDefault();
  if (chosen.size) said(await post("mark", { number, places: [...chosen.values()], symbol: one("is").value }));
});
one("merge").addEventListener("click", async () => {
  if (one("is").reportValidity()) said(await post("merge", { number, was: open, symbol: one("is").value }));
});

on("view", name => name === "alphabet" && load());
on("changed", load);
