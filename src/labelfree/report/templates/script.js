"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const tip = one("#tip"), box = one("#find"), only = one("#only"), order = one("#order"), book = one("#book");

  // What a doubtful character might be: on hover, on tap and by keyboard, and its place in the picture.
  let current = null;
  const told = letter => {
    if (letter.title) { letter.dataset.told = letter.title; letter.removeAttribute("title"); }
    return letter.dataset.told || "";
  };
  const leave = () => {
    if (!current) return;
    current.classList.remove("on");
    all(".mark.on").forEach(mark => mark.classList.remove("on"));
    tip.hidden = true;
    current = null;
  };
  const show = letter => {
    leave();
    current = letter;
    letter.classList.add("on");
    tip.textContent = told(letter);
    tip.hidden = !tip.textContent;
    const at = letter.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = at.bottom + scrollY + 6 + "px";
    const line = letter.closest(".line"), mark = line && one(".mark", line);
    if (mark && letter.dataset.x) {
      const [begin, width] = letter.dataset.x.split(" ");
      mark.style.left = begin + "%";
      mark.style.width = width + "%";
      mark.classList.add("on");
    }
  };
  const letterOf = event => event.target.closest ? event.target.closest("b[class^=d]") : null;
  document.addEventListener("pointerover", event => {
    const letter = letterOf(event);
    if (letter && event.pointerType === "mouse") show(letter);
    else if (current && event.pointerType === "mouse") leave();
  });
  document.addEventListener("click", event => {
    const letter = letterOf(event);
    if (letter) show(letter);
    else leave();
  });

  if (!book) return;
  const lines = all(".line", book).map(line => ({ line, read: one(".read", line), text: null }));
  const folded = text => text.normalize("NFC").toLowerCase().replaceAll("ſ", "s");
  const clean = entry => {
    all("mark", entry.read).forEach(mark => mark.replaceWith(...mark.childNodes));
    entry.read.normalize();
  };
  const underline = (entry, wanted) => {
    const walker = document.createTreeWalker(entry.read, NodeFilter.SHOW_TEXT), nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    const whole = folded(nodes.map(node => node.data).join(""));
    const hits = [];
    for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length)) hits.push([at, at + wanted.length]);
    let start = 0;
    for (const node of nodes) {
      const end = start + node.data.length;
      for (const [from, to] of hits.filter(hit => hit[0] < end && hit[1] > start).reverse()) {
        const range = document.createRange();
        range.setStart(node, Math.max(from - start, 0));
        range.setEnd(node, Math.min(to - start, end - start));
        range.surroundContents(document.createElement("mark"));
      }
      start = end;
    }
  };
  const apply = () => {
    leave();
    const wanted = folded(box.value), which = only.value;
    let shown = 0;
    for (const entry of lines) {
      if (entry.text === null) entry.text = folded(entry.read.textContent);
      if (entry.isMarked) { clean(entry); entry.isMarked = false; }
      const fits = (which === "all" || entry.line.classList.contains(which)) && entry.text.includes(wanted);
      entry.line.hidden = !fits;
      shown += fits;
      if (fits && wanted) { underline(entry, wanted); entry.isMarked = true; }
    }
    for (const page of all(".page", book)) {
      page.hidden = lines.length > 0 && (wanted !== "" || which !== "all") && !one(".line:not([hidden])", page);
    }
    one("#shown").textContent = shown === lines.length ? shown.toLocaleString("en") + " lines"
      : shown.toLocaleString("en") + " of " + lines.length.toLocaleString("en") + " lines";
    one("#nothing").hidden = shown > 0 || lines.length === 0;
  };
  const sort = () => {
    const by = order.value === "book"
      ? (a, b) => a.dataset.number - b.dataset.number
      : (a, b) => b.dataset.error - a.dataset.error || a.dataset.number - b.dataset.number;
    all(".page", book).sort(by).forEach(page => book.append(page));
    const single = one("#lines > .lines");
    if (single) [...single.children].sort(by).forEach(line => single.append(line));
  };
  let waiting = 0;
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  only.addEventListener("change", apply);
  order.addEventListener("change", () => { leave(); sort(); });
  one(".tools").addEventListener("submit", event => { event.preventDefault(); clearTimeout(waiting); apply(); });

  // Places in the specimen lead to their lines, filtered away or not.
  const reveal = id => {
    const line = id && document.getElementById(id);
    if (line && line.closest("[hidden]")) { box.value = ""; only.value = "all"; apply(); }
    return line;
  };
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#']"), button = event.target.closest("button[data-find]");
    if (link) reveal(link.getAttribute("href").slice(1));
    if (button) {
      box.value = button.dataset.find;
      only.value = "all";
      apply();
      one("#pages").scrollIntoView();
      box.focus({ preventScroll: true });
    }
  });

  const step = by => {
    const letters = all("#book .line:not([hidden]) .read b[class^=d]");
    if (!letters.length) return;
    let at = letters.indexOf(current);
    if (at < 0) {
      at = letters.findIndex(letter => letter.getBoundingClientRect().top > 80);
      at = by > 0 ? (at < 0 ? 0 : at) : (at <= 0 ? letters.length - 1 : at - 1);
    } else {
      at = (at + by + letters.length) % letters.length;
    }
    const letter = letters[at];
    letter.scrollIntoView({ block: "center", behavior: "instant" });
    show(letter);
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { leave(); if (document.activeElement === box) { box.value = ""; apply(); box.blur(); } return; }
    if (event.target.closest("input, select, textarea")) return;
    if (event.key === "/") { event.preventDefault(); box.focus(); }
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
  });
  apply();
  reveal(location.hash.slice(1));
})();
