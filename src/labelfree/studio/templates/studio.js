"use strict";
(() => {
  const one = id => document.getElementById(id);
  let lines = [], busy = false;
  const percent = share => (100 * share).toFixed(share < 0.1 ? 1 : 0) + "%";
  const stand = ({ said, left, error }) => {
    one("standing").textContent = `${said} read by you, ${left} left; ${percent(error)} of all characters expected to be wrong`;
  };
  const picture = (image, line) => {
    image.hidden = !line.picture;
    if (line.picture) image.src = line.picture;
  };
  const draw = () => {
    const [line, ...rest] = lines;
    one("card").hidden = !line;
    one("end").hidden = Boolean(line);
    one("coming").replaceChildren(...rest.map(next => {
      const item = document.createElement("li"), image = document.createElement("img");
      image.alt = next.text;
      picture(image, next);
      item.append(image);
      return item;
    }));
    if (!line) return;
    one("name").textContent = `${line.name}: ${percent(line.error)} expected to be wrong`;
    picture(one("scan"), line);
    one("read").replaceChildren(...line.parts.map(([text, level, others]) => {
      if (!level) return document.createTextNode(text);
      const part = document.createElement("b");
      part.className = "d" + level;
      part.textContent = text;
      part.title = others.length ? "or " + others.join(", ") : "doubtful";
      return part;
    }));
    if (one("text").dataset.key !== line.key) {
      one("text").value = line.text;
      one("text").dataset.key = line.key;
    }
    one("text").focus();
  };
  const load = async () => {
    const answer = await fetch("next");
    if (!answer.ok) return;
    const found = await answer.json();
    lines = found.lines;
    stand(found);
    draw();
  };
  const post = async (where, told) => {
    if (busy) return;
    busy = true;
    try {
      const answer = await fetch(where, { method: "POST", body: JSON.stringify(told) });
      if (!answer.ok) throw new Error(await answer.text());
      stand(await answer.json());
      await load();
    } catch (error) {
      one("standing").textContent = "Not saved: " + error.message;
    } finally {
      busy = false;
    }
  };
  one("say").addEventListener("submit", event => {
    event.preventDefault();
    if (lines.length) post("say", { key: lines[0].key, text: one("text").value });
  });
  one("undo").addEventListener("click", () => post("undo", {}));
  one("text").addEventListener("keydown", event => {
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && lines.length && one("text").value === lines[0].text) {
      event.preventDefault();
      post("undo", {});
    }
  });
  new EventSource("events").addEventListener("message", event => {
    stand(JSON.parse(event.data));
    if (!busy) load();
  });
})();
