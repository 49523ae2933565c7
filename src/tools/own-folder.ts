import { relative, sep } from "node:path";

/** The folder in a workdir where Deckhand keeps its store and the outputs that were too long to show. */
export const ownFolder = ".deckhand";

/** Whether a place is such a folder or lies in one. Who names it wants to see it, whatever git ignores. */
export function isInOwnFolder({ root, path }: { readonly root: string; readonly path: string }): boolean {
  return relative(root, path).split(sep).includes(ownFolder);
}
