import { usage, type Usage } from "./read-only-options.ts";

const diff =
  "p|u|patch s|no-patch U|unified= raw patch-with-raw indent-heuristic no-indent-heuristic minimal patience histogram anchored= " +
  "diff-algorithm= stat=? numstat shortstat X=? dirstat=? cumulative dirstat-by-file=? summary patch-with-stat z name-only " +
  "name-status color=? no-color color-moved=? no-color-moved color-moved-ws= word-diff=? word-diff-regex= color-words=? " +
  "no-renames rename-empty no-rename-empty check ws-error-highlight= full-index binary abbrev=? no-abbrev B|break-rewrites=? " +
  "M|find-renames=? C|find-copies=? find-copies-harder D|irreversible-delete l= diff-filter= S= G= pickaxe-all pickaxe-regex " +
  "skip-to= rotate-to= R relative=? no-relative a|text ignore-cr-at-eol ignore-space-at-eol b|ignore-space-change " +
  "w|ignore-all-space ignore-blank-lines I|ignore-matching-lines= inter-hunk-context= W|function-context exit-code quiet " +
  "no-ext-diff no-textconv ignore-submodules=? src-prefix= dst-prefix= no-prefix default-prefix line-prefix= " +
  "ita-invisible-in-index compact-summary cc c m diff-merges= no-diff-merges combined-all-paths";

const range =
  "oneline n|max-count= skip= since|after= until|before= author= committer= grep= all-match invert-grep i|regexp-ignore-case " +
  "E|extended-regexp F|fixed-strings P|perl-regexp basic-regexp merges no-merges min-parents= max-parents= no-min-parents " +
  "no-max-parents first-parent all branches=? tags=? remotes=? glob= exclude= reflog g|walk-reflogs merge boundary left-right " +
  "left-only right-only cherry-mark cherry-pick cherry graph no-graph date= relative-date pretty=? format= abbrev-commit " +
  "no-abbrev-commit encoding= notes=? no-notes topo-order date-order author-date-order reverse simplify-by-decoration " +
  "simplify-merges full-history dense sparse ancestry-path=? show-pulls parents children no-walk=? do-walk in-commit-order " +
  "ignore-missing stdin no-expand-tabs expand-tabs=?";

const log =
  `${diff} ${range} decorate=? no-decorate decorate-refs= decorate-refs-exclude= clear-decorations source follow L= ` +
  "log-size full-diff remove-empty mailmap no-mailmap use-mailmap root t r";

const blame =
  "b root show-stats L= l t S= reverse= first-parent p|porcelain line-porcelain incremental encoding= date= M=? C=? h " +
  "ignore-rev= color-lines color-by-age f|show-name n|show-number s e|show-email w c abbrev= progress no-progress minimal since=";

/** Those that filter make a listing of it, and then operands are patterns instead of new names. */
const filters = "contains=+ no-contains=+ merged=+ no-merged=+ points-at=+";
const listing = `${filters} sort= format= column=? no-column i|ignore-case color=? no-color omit-empty`;

/**
 * Subcommands that only look, with options that do. Left out: what writes (`--output`), runs a program that the configuration or
 * an attribute names where git would not by itself (`--ext-diff`, `--textconv`, `--filters`, `-O`, `--show-signature`), works in
 * other repositories (`--submodule`, `--recurse-submodules`), or reads other files (`--no-index`, `--untracked`, `-f`, `--contents`).
 *
 * A difference still goes through `diff.external`, text converters and filters of `.git/config`. That file is protected: whoever
 * changes it has asked a person, so those programs are taken for the person's own.
 */
export const gitUsages: ReadonlyMap<string, Usage> = new Map(
  Object.entries({
    status:
      "s|short b|branch show-stash porcelain=? long v|verbose u|untracked-files=? ignored=? ignore-submodules=? z column=? " +
      "no-column ahead-behind no-ahead-behind renames no-renames find-renames=?",
    log,
    whatchanged: log,
    show: log,
    diff: `${diff} cached staged merge-base 0 1 base 2 ours 3 theirs`,
    "diff-tree": `${diff} r t root stdin no-commit-id v pretty=? format= merge-base always`,
    "diff-index": `${diff} cached merge-base`,
    "diff-files": `${diff} q 0 1 2 3 base ours theirs`,
    "range-diff": `${diff} no-dual-color creation-factor= left-only right-only notes=? no-notes`,
    "rev-list": `${range} count objects objects-edge no-object-names disk-usage=? header timestamp bisect-all abbrev=? no-commit-header z`,
    shortlog: `${range} n|numbered s|summary e|email c|committer group= w=?`,
    "rev-parse":
      "abbrev-ref=? short=? verify q|quiet symbolic symbolic-full-name all branches=? tags=? remotes=? show-toplevel " +
      "show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir " +
      "is-bare-repository is-shallow-repository show-superproject-working-tree git-path= show-object-format=? revs-only no-revs " +
      "flags no-flags default= sq not since= until= local-env-vars path-format=",
    "ls-files":
      "z t v c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged k|killed resolve-undo directory " +
      "no-empty-directory x|exclude= exclude-standard error-unmatch with-tree= full-name eol abbrev=? debug deduplicate " +
      "sparse format=",
    "ls-tree": "d r t l|long z name-only name-status object-only full-name full-tree abbrev=? format=",
    blame,
    annotate: blame,
    describe:
      "all tags long abbrev=? match= exclude= contains always dirty=? broken=? first-parent candidates= exact-match debug",
    "cat-file":
      "t s p e batch=? batch-check=? batch-all-objects buffer unordered follow-symlinks Z z allow-unknown-type",
    "name-rev": "tags refs= exclude= name-only always all undefined no-undefined",
    "merge-base": "a|all octopus independent is-ancestor fork-point",
    "for-each-ref": `count= s|shell p|perl python tcl ${filters} sort= format= color=? ignore-case exclude= omit-empty`,
    "show-ref": "heads branches tags d|dereference s|hash=? abbrev=? q|quiet verify head exists",
    "show-branch":
      "a|all r|remotes current topo-order date-order sparse more= list merge-base independent no-name sha1-name topics",
    grep:
      "cached a|text i|ignore-case I max-depth= r|recursive no-recursive " +
      "w|word-regexp v|invert-match h H full-name E|extended-regexp G|basic-regexp F|fixed-strings P|perl-regexp " +
      "n|line-number column l|files-with-matches name-only L|files-without-match z|null o|only-matching c|count color=? " +
      "no-color break heading p|show-function C|context= A|after-context= B|before-context= W|function-context m|max-count= " +
      "threads= e= and or not all-match q|quiet no-textconv",
    "count-objects": "v|verbose H|human-readable",
    "check-ignore": "q|quiet v|verbose stdin z n|non-matching no-index",
    "check-attr": "a|all cached stdin z source=",
    cherry: "v|verbose abbrev=?",
    branch: `a|all r|remotes v|verbose list show-current abbrev=? no-abbrev ${listing}`,
    tag: `l|list n=? ${listing}`,
    stash: log,
    reflog: log,
    remote: "v|verbose all push",
    worktree: "porcelain v|verbose z",
    notes: "",
    "symbolic-ref": "short q|quiet no-recurse",
    config:
      "get get-all get-regexp l|list global local system worktree show-origin show-scope type= bool int bool-or-int path " +
      "expiry-date z|null name-only includes no-includes default= fixed-value all regexp show-names value=",
    version: "build-options",
    help: "",
  }).map(([name, options]) => [name, usage(options, { numbers: name !== "config" })]),
);

/** Before the subcommand. Not `--git-dir`, `--work-tree`, `-c`, `--exec-path`, `-p`: they name what git loads and runs. */
export const gitGlobals = usage(
  "C=! P|no-pager no-optional-locks no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs v|version",
  {
    stops: true,
  },
);
