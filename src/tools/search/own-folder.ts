import { ownFolder } from "../../guard/path/own-records.ts";
import { namesBetween } from "../../guard/path/path-name.ts";

/** Whether a place is Deckhand's own folder or lies in one. Who names it wants to see it, whatever git ignores. */
export function isInOwnFolder({ root, path }: { readonly root: string; readonly path: string }): boolean {
  return namesBetween(root, path).includes(ownFolder);
}
