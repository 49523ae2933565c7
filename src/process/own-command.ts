import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** How this very program is started again: the launcher of the package that this file belongs to. */
export function ownCommand(): readonly [string, ...string[]] {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const launcher = join(folder, "bin", "deckhand.js");
    if (isOurs(folder) && existsSync(launcher)) return [process.execPath, launcher];
    if (folder === dirname(folder)) return ["deckhand"]; // As the person would call it.
  }
}

function isOurs(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly name?: unknown };
    return name === "deckhand";
  } catch {
    return false;
  }
}
