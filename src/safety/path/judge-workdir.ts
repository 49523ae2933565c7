import { foldName } from "./fold-name.ts";
import { isWithin, namesBetween } from "./path-name.ts";
import { passesSecretPlace } from "./secret-places.ts";

/**
 * Why no tool may work in this folder (absolute, without links), as the end of a sentence; undefined when one may. In a workdir
 * commands write freely, and what is written in these folders is obeyed by git, by programs that log in, or by Deckhand.
 */
export function whyNoWorkdir(folder: string, stateHome: string): string | undefined {
  if (isWithin(stateHome, folder)) return "lies inside Deckhand's own state folder";
  const names = namesBetween("/", folder).map(foldName);
  const closed = closedFolders.find((name) => names.includes(name));
  if (closed !== undefined) return `lies inside a folder ${closed}`;
  return passesSecretPlace(names) ? "lies where programs keep keys and tokens" : undefined;
}

const closedFolders = [".git", ".deckhand", ".ssh", ".gnupg"];
