import { isAbsolute, relative, sep } from "node:path";

/**
 * Why no file can have this path; undefined when one can. A path is taken as it is: nothing is trimmed, decoded, expanded
 * or normalised, so `~/x` lies in a folder called `~`, and `%2e%2e` is a name.
 */
export function nameProblem(given: string): string | undefined {
  if (typeof given !== "string") return "The path is not a text.";
  if (given === "") return "The path is empty.";
  if (given.includes("\0")) return "The path contains a NUL character.";
  if (!given.isWellFormed()) return "The path contains half of a surrogate pair, which no file name can hold.";
  if (Buffer.byteLength(given) > 4095) return "The path is longer than 4,095 bytes.";
  const long = given.split("/").find((part) => part.length > 63 && Buffer.byteLength(part) > 255);
  if (long === undefined) return undefined;
  return `The name "${Array.from(long).slice(0, 30).join("")}…" in the path is longer than 255 bytes.`;
}

/** Whether a path is a folder or lies in it. Both are absolute; neither is looked at. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The names that lead from a folder to a path within it; none for the folder itself. */
export function namesBetween(folder: string, path: string): string[] {
  const way = relative(folder, path);
  return way === "" ? [] : way.split(sep);
}

/**
 * What names have in common that some file system or reader takes for one: case, ways to compose a letter, characters that
 * show nothing. For comparing with names of ours, never for opening.
 */
export function foldName(name: string): string {
  if (plain.test(name)) return name;
  // Up and down again: the long s and the Kelvin sign only meet s and k that way.
  return name.normalize("NFKC").replaceAll(invisible, "").toUpperCase().toLowerCase();
}

const plain = /^[a-z0-9._-]*$/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Control}]/gu;
