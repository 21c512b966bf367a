// What every part of the page needs: elements, requests, news.
export const one = id => document.getElementById(id);
export const percent = share => (100 * share).toFixed(share < 0.1 ? 1 : 0) + "%";
export const visible = text => (text === " " ? "␣" : text);

export const element = (name, settings = {}, ...children) => {
  const made = Object.assign(document.createElement(name), settings);
  made.append(...children);
  return made;
};

export const problem = text => {
  one("problem").textContent = text;
  one("problem").hidden = !text;
};

export const get = async where => {
  const answer = await fetch(where);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
};

const listeners = {};
export const on = (event, listener) => (listeners[event] ??= []).push(listener);
export const emit = (event, told) => (listeners[event] ?? []).forEach(listener => listener(told));

export let standing = {};
export const stand = told => {
  standing = { ...standing, ...told };
  emit("standing", standing);
};

// Actions are sent one after the other, in the order in which they were taken.
let last = Promise.resolve();
const send = async (where, told) => {
  try {
    const answer = await fetch(where, { method: "POST", body: told instanceof Blob ? told : JSON.stringify(told) });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    problem("");
    return await answer.json();
  } catch (error) {
    problem("Not done: " + error.message);
    return null;
  }
};
export const post = (where, told) => (last = last.then(() => send(where, told)));

const views = ["learn", "lines", "alphabet", "pages", "export"];
export let view = "";
export const show = name => {
  view = views.includes(name) ? name : "learn";
  for (const each of views) {
    one("view-" + each).hidden = each !== view;
    document.querySelector(`[data-view=${each}]`).setAttribute("aria-current", each === view ? "page" : "false");
  }
  if (location.hash !== "#" + view) history.replaceState(null, "", "#" + view);
  emit("view", view);
};
