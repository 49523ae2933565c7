import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** A folder with nested folders, links into, out of and around it, and files with two names. */
export interface FileWorld {
  readonly workdir: string;
  /** Makes everything as it was at first. */
  reset(): void;
  /** Every file, folder and link with its content. */
  snapshot(): string[];
}

/** Names that lead somewhere, that could be made, and that lead in circles. */
export const worldNames = [
  "a",
  "b",
  "c",
  "d",
  "e",
  "ld",
  "le",
  "lf",
  "up",
  "out",
  "away",
  "loop",
  "twin",
  "..",
  "work",
];

export function createFileWorld(folder: string): FileWorld {
  const base = join(folder, "base");
  const workdir = join(base, "p", "q", "work");
  return {
    workdir,
    reset() {
      rmSync(base, { recursive: true, force: true });
      mkdirSync(join(workdir, "d", "e"), { recursive: true });
      mkdirSync(join(base, "p", "outside"));
      for (const path of ["a", "b", "d/a", "d/b", "d/e/a", "../../outside/a"]) writeFileSync(join(workdir, path), path);
      linkSync(join(workdir, "a"), join(workdir, "twin"));
      const links = [
        ["d", "ld"],
        ["ld/e", "le"],
        ["b", "lf"],
        ["..", "up"],
        ["../../outside", "out"],
        ["nowhere/at/all", "away"],
        ["loop/x", "loop"],
        ["../d/e", "d/ld"],
      ] as const;
      for (const [target, path] of links) symlinkSync(target, join(workdir, path));
    },
    snapshot: () => snapshotOf(base, ""),
  };
}

function snapshotOf(base: string, below: string): string[] {
  let entries;
  try {
    entries = readdirSync(join(base, below), { withFileTypes: true });
  } catch {
    return [`${below} is gone`];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      if (entry.isDirectory()) return [`${path}/`, ...snapshotOf(base, path)];
      if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(base, path))}`];
      return [`${path}: ${readFileSync(join(base, path), "utf8")}`];
    });
}
