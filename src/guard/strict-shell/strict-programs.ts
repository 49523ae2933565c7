import type { PathOperation } from "../path/judge-path.ts";

/** What a program may be asked for in strict mode without a sandbox. What is not listed is refused. */
export interface StrictProgram {
  /** `-a`, `--all`; with `=` at the end those that take a value; `-#` for a number as `-20`. */
  readonly options: string;
  /** What it does with the paths among its words. */
  readonly does: PathOperation;
  /** All words that are neither options nor their values must look like this. */
  readonly operands?: RegExp;
  /** The first of them must look like this. */
  readonly firstOperand?: RegExp;
  readonly mostOperands?: number;
  /** The first word after the name chooses among these. */
  readonly commands?: Readonly<Record<string, StrictProgram>>;
  /** Put in front of what was asked for. */
  readonly always?: readonly string[];
}

function reads(options: string, more: Partial<StrictProgram> = {}): StrictProgram {
  return { options, does: "read", ...more };
}

const gitOutput =
  "-p -u -s -w -b -# -n= -U= --patch --no-patch --stat --shortstat --numstat --name-only --name-status --oneline --cached --staged --color= --no-color --graph --all --author= --grep= --since= --until= --max-count= --reverse --follow --word-diff --format= --pretty= --date= --abbrev-commit --merges --no-merges --first-parent --decorate --unified= --check";
/** A repository can name programs to compare and to show files with. */
const plainDiff = ["--no-ext-diff", "--no-textconv"];

const git: StrictProgram = {
  options: "",
  does: "read",
  // What a repository's own settings would start on the most harmless command.
  always: ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"],
  commands: {
    status: reads("-s -b -u= -v --short --branch --porcelain --long --ignored --untracked-files="),
    log: reads(gitOutput, { always: plainDiff }),
    diff: reads(gitOutput, { always: plainDiff }),
    show: reads(gitOutput, { always: plainDiff }),
    blame: reads("-L= -w -e -s -M -C"),
    branch: reads("-a -r -v -l --all --remotes --list --show-current --verbose", { mostOperands: 0 }),
    tag: reads("-l -n --list --sort=", { mostOperands: 0 }),
    describe: reads("--tags --always --dirty --long --abbrev="),
    shortlog: reads("-s -n -e --summary --numbered --email"),
    "ls-files": reads("-c -d -m -o -s -t --cached --deleted --modified --others --stage --exclude-standard"),
    "rev-parse": reads("--short --abbrev-ref --show-prefix --is-inside-work-tree --verify"),
  },
};

const searchOptions =
  "-n -i -v -c -l -L -w -x -E -F -o -h -H -q -s -a -A= -B= -C= -m= -e= --color= --count --ignore-case --invert-match --line-number --files-with-matches --files-without-match --word-regexp --fixed-strings --only-matching --max-count= --regexp= --context= --after-context= --before-context=";

/**
 * Programs that read, and few that change names, none that follows links it finds by itself, runs another program, or
 * writes where it is told by an option. Missing on purpose: cp (it writes through links), tar, awk, xargs, env.
 */
export const strictPrograms: ReadonlyMap<string, StrictProgram> = new Map(
  Object.entries<StrictProgram>({
    ls: reads(
      "-a -A -l -h -1 -t -r -S -R -F -d -i -s -p -g -o -n --all --almost-all --color= --full-time --human-readable --recursive --reverse --classify --sort=",
      { does: "list" },
    ),
    pwd: reads("", { mostOperands: 0 }),
    cat: reads("-n -b -s -A -E -T -v -e -t --number --show-all --show-ends --show-tabs"),
    head: reads("-n= -c= -q -v -# --lines= --bytes= --quiet --verbose"),
    tail: reads("-n= -c= -q -v -# --lines= --bytes= --quiet --verbose"),
    wc: reads("-l -w -c -m -L --lines --words --bytes --chars"),
    nl: reads("-b= -w= -s="),
    grep: reads(searchOptions),
    rg: reads(
      "-n -N -i -S -s -v -c -l -w -x -F -o -U -A= -B= -C= -m= -e= -t= -T= -g= --files --count --count-matches --ignore-case --smart-case --line-number --no-line-number --files-with-matches --fixed-strings --word-regexp --only-matching --multiline --type= --glob= --max-count= --context= --color= --no-heading --heading --json --stats --sort= --max-depth=",
      { always: ["--no-config", "--no-follow"] },
    ),
    find: reads(
      "-name= -iname= -path= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -newer= -empty -print -not -o -a -prune",
      { does: "list" },
    ),
    tree: reads("-a -d -f -s -h -L= -I= -P= --dirsfirst --noreport", { does: "list" }),
    stat: reads("-c= --format= --printf="),
    file: reads("-b -i --brief --mime --mime-type --mime-encoding"),
    du: reads("-h -s -a -c -b -k -m -d= --max-depth= --summarize --human-readable --apparent-size", { does: "list" }),
    diff: reads(
      "-u -q -s -w -b -B -i -y -c -U= -C= --brief --unified= --color= --side-by-side --ignore-all-space --ignore-blank-lines --report-identical-files",
      { mostOperands: 2 },
    ),
    cmp: reads("-s -l -b --silent --verbose", { mostOperands: 2 }),
    comm: reads("-1 -2 -3", { mostOperands: 2 }),
    sort: reads("-n -r -u -k= -t= -f -h -V -b -s -c --numeric-sort --reverse --unique --key= --field-separator="),
    uniq: reads("-c -d -u -i --count --repeated --unique --ignore-case", { mostOperands: 1 }),
    cut: reads("-d= -f= -c= -b= -s --delimiter= --fields= --characters="),
    // Only lines by their numbers: its other commands write files and run programs.
    sed: reads("-n -E -r --quiet --silent", { firstOperand: /^\d+(?:,\d+)?[pqd=]$/ }),
    md5sum: reads("-b -t"),
    sha1sum: reads("-b -t"),
    sha256sum: reads("-b -t"),
    sha512sum: reads("-b -t"),
    basename: reads("-a -s= --suffix="),
    dirname: reads(""),
    echo: reads("-n -e -E"),
    printf: reads(""),
    date: reads("-u -R -I --utc --iso-8601= --rfc-3339= -d= --date=", { operands: /^\+/ }),
    sleep: reads("", { operands: /^\d+(?:\.\d+)?[smh]?$/ }),
    true: reads(""),
    false: reads(""),
    git,
    mkdir: { options: "-p -v --parents --verbose", does: "mkdir" },
    touch: { options: "-a -c -m --no-create", does: "write" },
    mv: { options: "-n -v --no-clobber --verbose", does: "move" },
    rm: { options: "-v --verbose", does: "delete" },
    rmdir: { options: "-v -p --verbose --parents", does: "delete" },
  }),
);

/**
 * With an OS sandbox any other program may run, because the system holds it; these may not, because what they run is not
 * in their words: shells, interpreters, programs that start others, and those that gain or change rights.
 */
const heldBack = new Set(
  (
    "sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox pwsh elvish nu xonsh " +
    "python pypy node nodejs deno bun tsx ts-node perl ruby irb php lua luajit awk gawk mawk nawk tclsh wish expect guile " +
    "racket scheme sbcl clisp emacs vim vi nvim ex ed r rscript julia octave osascript groovy jshell erl iex ghci runghc " +
    "psql mysql sqlite gdb lldb m4 dc bc " +
    "env xargs parallel nohup timeout nice ionice chrt taskset setsid stdbuf time watch script flock strace ltrace " +
    "unshare nsenter chroot bwrap firejail systemd-run at batch crontab start-stop-daemon " +
    "sudo doas su pkexec runuser setpriv capsh newgrp sg ssh sshpass mosh telnet nc ncat socat " +
    "docker podman nerdctl kubectl lxc machinectl mount umount exec eval source command builtin"
  ).split(" "),
);

/** Also with a version at the end (`python3.12`, `lua5.4`), and as a file system takes it that knows no case. */
export function isHeldBack(given: string): boolean {
  const name = given.toLowerCase();
  return heldBack.has(name) || heldBack.has(name.replace(/[-.]?\d[\d.]*$/, "")) || /^ld[-.]/.test(name);
}
