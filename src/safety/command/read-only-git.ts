import { parseOptions } from "./parse-options.ts";
import { gitGlobals } from "./rules/git.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

/** Subcommands that only look, and what keeps each of them from doing so. */
export function isReadOnlyGit({ words }: SimpleCommand): boolean {
  const globals = parseOptions(words.slice(1), gitGlobals);
  if (globals.has("c", "exec-path", "config-env", "paginate") || globals.unknown.length > 0)
    return globals.has("version");
  const [subcommand, ...rest] = globals.operands;
  if (subcommand === undefined) return true;
  if (subcommand.kind !== "literal" || rest.some((word) => denied.test(word.text))) return false;
  if (looking.has(subcommand.text)) return true;
  return listings[subcommand.text]?.(rest) ?? false;
}

const denied = /^--(?:ou|ext|textc|op|exe|upl|rem)|^-O/;

const looking: ReadonlySet<string> = new Set(
  (
    "status log diff show rev-parse ls-files ls-tree blame annotate describe rev-list shortlog cat-file name-rev " +
    "merge-base for-each-ref show-ref show-branch grep diff-tree diff-index diff-files count-objects check-ignore " +
    "check-attr version whatchanged cherry range-diff verify-commit help"
  ).split(" "),
);

const listings: Readonly<Record<string, (rest: readonly Word[]) => boolean>> = {
  branch: (rest) =>
    rest.every((word) =>
      /^(?:-[arvq]+|--(?:all|remotes|list|verbose|show-current|merged|no-merged|contains|sort=.*|format=.*|column|no-color|color))$/.test(
        word.text,
      ),
    ) || rest[0]?.text === "--list",
  tag: (rest) =>
    rest.length === 0 || /^(?:-l|--list|-n[0-9]*|--contains|--points-at|--merged|--sort=.*)$/.test(rest[0]!.text),
  remote: (rest) => rest.length === 0 || /^(?:-v|--verbose|get-url)$/.test(rest[0]!.text),
  config: (rest) =>
    /^(?:--get|--get-all|--get-regexp|--list|-l|get|list)$/.test(
      rest.find((word) => !/^--(?:global|local|system|show-origin|worktree|type=.*)$/.test(word.text))?.text ?? "",
    ),
  stash: (rest) => /^(?:list|show)$/.test(rest[0]?.text ?? ""),
  worktree: (rest) => rest[0]?.text === "list",
  submodule: (rest) => rest[0]?.text === "status" || rest.length === 0,
  reflog: (rest) => rest.length === 0 || rest[0]?.text === "show" || /^(?:-|HEAD|--)/.test(rest[0]?.text ?? ""),
  notes: (rest) => /^(?:list|show)$/.test(rest[0]?.text ?? ""),
  "symbolic-ref": (rest) =>
    rest.filter((word) => !word.text.startsWith("-")).length === 1 && !rest.some((word) => /^-d|^--d/.test(word.text)),
};
