// A keyboard of the symbols that the book has, for those that no keyboard has.
import { element, get } from "./page.js";

export const keyboard = async (place, field) => {
  const { symbols } = await get("alphabet");
  const press = symbol => {
    const key = element("button", { type: "button", textContent: symbol, ariaLabel: `type ${symbol}` });
    key.addEventListener("click", () => {
      field.setRangeText(symbol, field.selectionStart, field.selectionEnd, "end");
      field.focus();
    });
    return key;
  };
  const rare = ["ſ", "æ", "œ", "ß", "—", "„", "“", "”", "’"].filter(symbol => !symbols.some(each => each.symbol === symbol));
  place.replaceChildren(...symbols.map(each => press(each.symbol)), ...rare.map(press));
};
