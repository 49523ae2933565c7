import { optionTable } from "../parse-options.ts";
import type { Word } from "../simple-command.ts";
import { findGitConfig } from "./git-config.ts";
import { hidesOptions, type Rule, type Subject } from "./command-rule.ts";

const gitGlobals = optionTable(
  "C= c= p|paginate P|no-pager git-dir= work-tree= namespace= exec-path=? bare no-replace-objects literal-pathspecs super-prefix= config-env= attr-source= list-cmds= v|version h|help no-optional-locks",
  { stopsAtOperand: true },
);

const git = { programs: "git", globals: gitGlobals } as const;
const pushOptions = optionTable(
  "f|force force-with-lease=? force-if-includes d|delete mirror prune n|dry-run all branches tags follow-tags u|set-upstream o|push-option= repo= receive-pack= exec= no-verify verify q|quiet v|verbose progress porcelain atomic signed=? recurse-submodules= thin no-thin 4|ipv4 6|ipv6",
);

export const gitRules: readonly Rule[] = [
  {
    ...git,
    id: "git.force-push",
    subcommand: "push",
    options: pushOptions,
    reason: "It replaces history on the remote; commits of others can be lost.",
    finds: ({ options }) =>
      !options.has("dry-run") &&
      (options.has("force", "force-with-lease", "mirror") ||
        options.operands.some((word) => word.text.startsWith("+"))),
  },
  {
    ...git,
    id: "git.delete-remote",
    subcommand: "push",
    options: pushOptions,
    reason: "It deletes a branch or tag on the remote.",
    finds: ({ options }) =>
      !options.has("dry-run") &&
      (options.has("delete", "prune") || options.operands.slice(1).some((word) => /^:./.test(word.text))),
  },
  {
    ...git,
    id: "git.unclear-push",
    subcommand: "push",
    options: pushOptions,
    reason: "How it pushes depends on a value that is not known.",
    finds: ({ options }) => (hidesOptions(options) || options.operands[0]?.isSplit === true ? "unknown" : false),
  },
  {
    ...git,
    id: "git.reset-hard",
    subcommand: "reset",
    options: optionTable("hard soft mixed merge keep q|quiet p|patch"),
    reason: "It throws away every change that is not committed.",
    finds: ({ options }) => options.has("hard", "merge"),
  },
  {
    ...git,
    id: "git.clean",
    subcommand: "clean",
    options: optionTable("f|force d x X n|dry-run e|exclude= q|quiet i|interactive"),
    reason: "It deletes files that git does not keep.",
    finds: ({ options, globals }) => {
      const isForced =
        options.has("force") || globals.values("c").some((word) => /^clean\.requireforce=/i.test(word.text));
      if (options.has("dry-run")) return false;
      return isForced ? true : hidesOptions(options) || options.isUncertain ? "unknown" : false;
    },
  },
  {
    ...git,
    id: "git.discard",
    subcommand: "checkout",
    options: optionTable("b= B= f|force q|quiet t|track=? p|patch ours theirs m|merge detach orphan= l conflict="),
    reason: "It throws away changes that are not committed.",
    finds: ({ options, words }) =>
      !options.has("b", "p", "orphan") && (options.has("force") || discardsTree(options.operands, words)),
  },
  {
    ...git,
    id: "git.discard",
    subcommand: "switch",
    options: optionTable("c|create= C|force-create= f|force discard-changes m|merge d|detach q|quiet t|track"),
    reason: "It throws away changes that are not committed.",
    finds: ({ options }) => options.has("force", "discard-changes"),
  },
  {
    ...git,
    id: "git.discard",
    subcommand: "restore",
    options: optionTable("s|source= S|staged W|worktree p|patch q|quiet ours theirs m|merge"),
    reason: "It throws away changes that are not committed.",
    finds: ({ options, words }) =>
      !options.has("patch") &&
      (!options.has("staged") || options.has("worktree")) &&
      discardsTree(options.operands, words),
  },
  {
    ...git,
    id: "git.discard",
    subcommand: "checkout-index",
    options: optionTable("a|all f|force"),
    reason: "It throws away changes that are not committed.",
    finds: ({ options }) => options.has("force"),
  },
  {
    ...git,
    id: "git.discard",
    subcommand: "read-tree",
    options: optionTable("u reset m i"),
    reason: "It throws away changes that are not committed.",
    finds: ({ options }) => options.has("reset") && options.has("u"),
  },
  { ...git, id: "git.drop-stash", subcommand: "stash drop|clear", reason: "It throws away work that was put aside." },
  {
    ...git,
    id: "git.delete-branch",
    subcommand: "branch",
    options: optionTable(
      "D d|delete f|force m|move M C c|copy a|all r|remotes v list u|set-upstream-to= contains=? merged=? sort= format=",
    ),
    reason: "It deletes a branch even if its commits are nowhere else.",
    finds: ({ options }) => options.has("D") || (options.has("delete") && options.has("force")),
  },
  {
    ...git,
    id: "git.rewrite-history",
    subcommand: "filter-branch|filter-repo|fast-import",
    reason: "It rewrites the whole history.",
  },
  {
    id: "git.rewrite-history",
    programs: "git-filter-repo git-filter-branch bfg",
    reason: "It rewrites the whole history.",
  },
  {
    ...git,
    id: "git.expire",
    subcommand: "reflog expire|delete",
    options: optionTable("n|dry-run"),
    reason: "It removes the record from which lost commits can be brought back.",
    finds: ({ options }) => !options.has("dry-run"),
  },
  {
    ...git,
    id: "git.expire",
    subcommand: "gc",
    options: optionTable("prune=? aggressive auto q|quiet force"),
    reason: "It removes lost commits for good.",
    finds: ({ options }) => options.has("prune") && options.value("prune") !== undefined,
  },
  {
    ...git,
    id: "git.expire",
    subcommand: "prune",
    options: optionTable("n|dry-run v expire="),
    reason: "It removes lost commits for good.",
    finds: ({ options }) => !options.has("dry-run"),
  },
  {
    ...git,
    id: "git.delete-reference",
    subcommand: "update-ref|symbolic-ref|replace",
    options: optionTable("d|delete stdin m= no-deref z"),
    reason: "It deletes a reference; commits that only it names can be lost.",
    finds: ({ options }) => options.has("delete", "stdin"),
  },
  {
    ...git,
    id: "git.delete-forced",
    subcommand: "rm",
    options: optionTable("f|force r cached n|dry-run q|quiet ignore-unmatch"),
    reason: "It deletes files with changes that are not committed.",
    finds: ({ options }) => options.has("force") && !options.has("cached", "dry-run"),
  },
  {
    ...git,
    id: "git.delete-forced",
    subcommand: "worktree remove",
    options: optionTable("f|force"),
    reason: "It deletes a working tree with changes that are not committed.",
    finds: ({ options }) => options.has("force"),
  },
  {
    ...git,
    id: "git.delete-forced",
    subcommand: "submodule deinit",
    options: optionTable("f|force all"),
    reason: "It deletes a submodule's files with changes that are not committed.",
    finds: ({ options }) => options.has("force", "all"),
  },
  {
    ...git,
    id: "git.unsafe-paths",
    subcommand: "apply",
    reason: "The patch may write outside the repository.",
    finds: ({ words }) => words.some((word) => word.text.startsWith("--unsafe")),
  },
  {
    ...git,
    id: "git.config",
    subcommand: "config",
    options: optionTable(
      "f|file= get get-all get-regexp l|list unset unset-all add replace-all e|edit global local system worktree type= bool int default= show-origin",
    ),
    reason: "It makes git start a program or contact another place from now on.",
    finds: findGitConfig,
  },
  {
    ...git,
    id: "git.unclear",
    subcommand: "*",
    reason: "What git is asked to do depends on a value that is not known.",
    finds: ({ globals }) => (globals.operands[0]!.kind === "dynamic" ? "unknown" : false),
  },
];

/** The whole tree or a pattern, not one named file: `.`, `:/`, `*`, `src/`. */
function discardsTree(operands: readonly Word[], words: Subject["words"]): boolean {
  const separator = words.findIndex((word) => word.text === "--");
  const paths = separator < 0 ? operands : words.slice(separator + 1);
  return paths.some(
    (word) => word.kind === "glob" || /[*?[]/.test(word.text) || /^(?:\.{1,2}\/?|:\/?|:\/.*|\*|.+\/)$/.test(word.text),
  );
}
