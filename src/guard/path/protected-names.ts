import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { foldName } from "./path-name.ts";

/**
 * Why a change of this path (as names, each below the one before) is never made without a person; undefined when nothing
 * speaks against it. The rule: what runs, or decides what runs, without anybody calling it by name. Build files, package
 * scripts and CI workflows are not among them: they run when somebody builds, tests or pushes, which has its own gate.
 */
export function protectedReason(names: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  for (let length = 1; length <= folded.length; length += 1) {
    const reason = reasonOfLast(folded.slice(0, length));
    // Where other agents keep worktrees, people work: what lies there is a project like any other.
    const isWorktrees = folded[length] === "worktrees" && folded[length - 1] !== ".git";
    if (reason !== undefined && !isWorktrees) return reason;
  }
  return undefined;
}

/** The same for the last of the names alone; they are folded already. For whoever walks down a folder. */
export function reasonOfLast(folded: readonly string[]): string | undefined {
  const last = folded.at(-1) ?? "";
  if (last.endsWith(".code-workspace")) return "A workspace file holds tasks that an editor runs";
  const found = runsByLastName
    .get(last)
    ?.find(({ run }) => run.every((name, at) => folded.at(at - run.length) === name));
  return found && `${found.run.join("/")} ${found.reason}`;
}

/** Why a change of this path, from the workdir down, is made only when a person, a rule or a grant allows it. */
export function instructionReason(names: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  const name = instructionFiles.find((each) => folded.at(-1) === each);
  if (name !== undefined) return `agents follow what ${names.at(-1)} says, in every later conversation`;
  const isSkill = skillFolders.some((folder) => startsWith(folded, folder.split("/")));
  return isSkill ? "agents follow what skills say, in every later conversation" : undefined;
}

const instructionFiles = ["agents.md", "claude.md", "gemini.md", "agents.override.md"];
const skillFolders = ["skills", ".agents/skills"];

/** Why a path from the workdir down is Deckhand's own there. */
export function reasonInWorkdir(names: readonly string[], protectedPaths: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  const path = protectedPaths.find((each) => startsWith(folded, each.split("/").map(foldName)));
  return path === undefined ? undefined : `${path} is part of what Deckhand runs or obeys in this workdir`;
}

/** Counted from the workdir: the configuration, and the folder whose files become tools. Callers add their own. */
export const defaultProtectedPaths: readonly string[] = ["deckhand.json", "tools"];

function startsWith(folded: readonly string[], start: readonly string[]): boolean {
  const names = start.filter((name) => name !== "" && name !== ".");
  return names.length > 0 && names.every((name, index) => folded[index] === name);
}

/**
 * The one list: the path guard asks before any of these is changed, and the sandbox makes those that exist read-only. In
 * lower case, at any depth, with all that lies below; a slash joins names that follow each other.
 */
const protectedAnywhere: readonly (readonly [reason: string, runs: readonly string[]])[] = [
  ["decides what Deckhand may do", ["deckhand.json", "deckhand.jsonc", ".local/state/deckhand"]],
  [
    "can make git run programs",
    [".git", ".gitmodules", ".gitconfig", ".config/git", ".husky", ".githooks", ".lefthook", "lefthook.yml"],
  ],
  ["can make git run programs", [".pre-commit-config.yaml", ".pre-commit-config.yml"]],
  [
    "is run by a shell when it starts, ends or enters the folder",
    [
      ".profile",
      ".bashrc",
      ".bash_profile",
      ".bash_login",
      ".bash_logout",
      ".bash_aliases",
      ".zshrc",
      ".zshenv",
      ".zprofile",
      ".zlogin",
      ".zlogout",
      ".kshrc",
      ".mkshrc",
      ".cshrc",
      ".tcshrc",
      ".login",
      ".logout",
      ".inputrc",
      ".envrc",
      "mise.toml",
      ".mise.toml",
      ".config/mise",
      ".config/fish",
      ".xinitrc",
      ".xprofile",
      ".xsession",
      ".xsessionrc",
      ".pam_environment",
    ],
  ],
  [
    "can make an editor run programs",
    [
      ".vscode",
      ".idea",
      ".zed",
      ".fleet",
      ".run",
      ".devcontainer",
      ".devcontainer.json",
      ".vimrc",
      ".nvimrc",
      ".exrc",
      ".nvim.lua",
      ".config/nvim",
      ".dir-locals.el",
    ],
  ],
  [
    "can make an agent run programs",
    [
      ".mcp.json",
      ".cursor",
      ".claude",
      ".codex",
      ".gemini",
      ".qwen",
      ".opencode",
      "opencode.json",
      "opencode.jsonc",
      ".continue",
      ".windsurf",
      ".aider.conf.yml",
    ],
  ],
  [
    "can make a package manager run programs",
    [".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".ripgreprc", ".cargo/config.toml", ".cargo/config"],
  ],
  [
    "is run by an interpreter or a debugger when it starts",
    [".rprofile", ".irbrc", ".pryrc", ".pdbrc", ".gdbinit", ".lldbinit", ".psqlrc", ".sqliterc"],
  ],
  ["lets others log in", [".ssh", ".gnupg"]],
  [
    "is started by the system",
    [".config/systemd", ".config/autostart", "library/launchagents", "library/launchdaemons"],
  ],
];

const runsByLastName = new Map<string, { readonly run: readonly string[]; readonly reason: string }[]>();
for (const [reason, runs] of protectedAnywhere) {
  for (const run of runs.map((each) => each.split("/"))) {
    const last = run.at(-1)!;
    runsByLastName.set(last, [...(runsByLastName.get(last) ?? []), { run, reason }]);
  }
}

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
