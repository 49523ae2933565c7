import { createStore } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const storageKey = "deckhand-theme";
export const theme = createStore<Theme>("system");

/** Before the first drawing, so that the other theme never flashes by. */
export function startTheme(): void {
  const kept = localStorage.getItem(storageKey);
  apply(kept === "light" || kept === "dark" ? kept : "system");
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(storageKey, chosen);
  apply(chosen);
}

function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  theme.set(chosen);
}
