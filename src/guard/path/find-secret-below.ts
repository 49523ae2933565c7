import { readFileSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { isSecretPath } from "./secret-names.ts";
import { holdsToken } from "./secret-places.ts";

/** What others wrote, and git's own: nobody keeps a secret of theirs there. */
const skipped = new Set(["node_modules", ".git", ".deckhand", ".venv", "venv", "__pycache__"]);
const mostEntries = 20_000;

export type SecretBelow =
  | { readonly found: string }
  /** `isWhole`: everything was looked at. */
  | { readonly found: null; readonly isWhole: boolean };

/** The first file in a folder, or below it, whose name is one for secrets. `hidden`: also behind names that begin with a dot. */
export function findSecretBelow(folder: string, { hidden }: { readonly hidden: boolean }): SecretBelow {
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of entriesOf(at)) {
      seen += 1;
      if (seen > mostEntries) return { found: null, isWhole: false };
      if (skipped.has(entry.name) || (!hidden && entry.name.startsWith("."))) continue;
      const path = join(at, entry.name);
      // A link is read where it leads only when it is named itself.
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && isSecretPath([entry.name]) && !isPlainSetting(entry.name, path))
        return { found: path };
    }
  }
  return { found: null, isWhole: true };
}

/** In most projects these hold no token, and every search would be asked about because of them. */
function isPlainSetting(name: string, path: string): boolean {
  if (name !== ".npmrc" && name !== ".yarnrc.yml") return false;
  try {
    return statSync(path).size < 65_536 && !holdsToken(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not a folder, or not ours to read: then the command can't read it either.
    return [];
  }
}
