import { useStore } from "../state/store.ts";
import { navigate, place } from "./location.ts";

/** What stands after the question mark, and the way to change it without a new step in the history. */
export function useSearch(): readonly [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const { search } = useStore(place);
  return [new URLSearchParams(search), change];
}

function change(changes: Readonly<Record<string, string>>): void {
  const { path, search } = place.get();
  const parameters = new URLSearchParams(search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === "") parameters.delete(key);
    else parameters.set(key, value);
  }
  const text = parameters.toString();
  navigate(text === "" ? path : `${path}?${text}`, { replace: true });
}
