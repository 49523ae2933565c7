import { foldName } from "./fold-name.ts";
import { passesThrough } from "./secret-names.ts";

/**
 * Why a change of this path (as names, from the workdir down) is never made without a person; undefined when nothing
 * speaks against it. The rule: what runs, or decides what runs, without anybody calling it by name. Build files, package
 * scripts and CI workflows are not among them: they run when somebody builds, tests or pushes, which has its own gate.
 */
export function protectedReason(names: readonly string[], protectedPaths: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  for (const [reason, runs] of protectedAnywhere) {
    const run = runs.find((each) => passesThrough(folded, each.split("/")));
    if (run !== undefined) return `${run} ${reason}`;
  }
  if (folded.at(-1)?.endsWith(".code-workspace")) return "A workspace file holds tasks that an editor runs";
  const path = protectedPaths.find((each) => startsWith(folded, each.split("/").map(foldName)));
  return path === undefined ? undefined : `${path} is part of what Deckhand runs or obeys in this workdir`;
}

/** Counted from the workdir: the configuration, and the folder whose files become tools. Callers add their own. */
export const defaultProtectedPaths: readonly string[] = ["deckhand.json", "tools"];

function startsWith(folded: readonly string[], start: readonly string[]): boolean {
  const names = start.filter((name) => name !== "" && name !== ".");
  return names.length > 0 && names.every((name, index) => folded[index] === name);
}

/** A slash joins names that follow each other. All of it, and all that lies below. */
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
    [".mcp.json", ".cursor", ".claude", ".codex", ".gemini", ".opencode", ".aider.conf.yml"],
  ],
  ["can make a package manager run programs", [".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".ripgreprc"]],
  ["lets others log in", [".ssh", ".gnupg"]],
  [
    "is started by the system",
    [".config/systemd", ".config/autostart", "library/launchagents", "library/launchdaemons"],
  ],
];
