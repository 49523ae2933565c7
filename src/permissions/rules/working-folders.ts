import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { SimpleCommand } from "../../../packages/command-analysis/src/simple-command.ts";
import { within } from "./expand-glob.ts";
import { physicalPath } from "./physical-path.ts";

const mostFolders = 8;

/** Where a `cd` may lead from these folders; null when that is not known. */
export function nextFolders({ words }: SimpleCommand, folders: readonly string[]): string[] | null {
  const target = words.slice(1).find(({ text }) => !text.startsWith("-") || text === "-");
  if (target?.kind !== "literal" || target.text === "-" || folders.length > mostFolders) return null;
  // By name, as shells do it, and by where links lead, as they do it with -P.
  return folders.flatMap((folder) => [resolve(folder, target.text), physicalPath(within(folder, target.text))]);
}

/** Folders that an option tells a program to work in: `env -C sub`, `git -C sub`, `make --directory=sub`. */
export function optionFolders({ words }: SimpleCommand, folders: readonly string[]): string[] {
  const named = words.flatMap(({ text }, index) => {
    const glued = /^(?:-C|--(?:directory|chdir|cwd|dir|prefix|work-tree|working-dir(?:ectory)?|project)=)(.+)$/.exec(
      text,
    );
    if (glued) return [glued[1]!];
    const next = words[index + 1];
    return folderOption.test(text) && next?.kind === "literal" ? [next.text] : [];
  });
  const places = named
    .slice(0, mostFolders)
    .flatMap((name) => folders.map((folder) => physicalPath(within(folder, name))));
  return [...new Set(places)].filter(isFolder);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const folderOption = /^(?:-C|--(?:directory|chdir|cwd|dir|prefix|work-tree|working-dir(?:ectory)?|project)|-[dDw])$/;
