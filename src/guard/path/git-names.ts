import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Their hooks and settings run with the next git command, whoever gives it. Also kept from being made while they are missing. */
export const gitNames = [".git/hooks", ".git/config"];

/** Deeper or more than this is nobody's repository. */
const mostLevels = 6;
const mostFolders = 500;

/**
 * The same of further worktrees and of submodules, which keep theirs below `.git`: git reads them there. Only those that
 * exist now.
 */
export function findGitSettings(workdir: string): string[] {
  const git = join(workdir, ".git");
  const worktrees = list(join(git, "worktrees")).map((name) => join(git, "worktrees", name));
  const modules = findModules(join(git, "modules"));
  return [
    join(git, "config.worktree"),
    ...worktrees.flatMap((folder) => ["commondir", "gitdir", "config.worktree"].map((name) => join(folder, name))),
    ...modules.flatMap((folder) => ["hooks", "config", "config.worktree"].map((name) => join(folder, name))),
  ].filter((path) => existsSync(path));
}

/** Names of submodules have slashes, so theirs are folders in folders; one with a HEAD is a repository. */
function findModules(top: string): string[] {
  const found: string[] = [];
  let left = mostFolders;
  function look(folder: string, levels: number): void {
    for (const name of list(folder)) {
      if ((left -= 1) < 0 || levels === 0) return;
      const path = join(folder, name);
      if (existsSync(join(path, "HEAD"))) {
        found.push(path);
        look(join(path, "modules"), levels - 1);
      } else look(path, levels - 1);
    }
  }
  look(top, mostLevels);
  return found;
}

/** The folders in it; none when it is no folder itself, as in a worktree. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
