import { optionTable, parseOptions, type OptionTable } from "../../parse-options.ts";
import type { SimpleCommand, Word } from "../../simple-command.ts";
import type { Inner } from "../inner.ts";
import { unixEscape } from "../input-commands.ts";
import { literal } from "../scope.ts";

interface CommandOptions {
  readonly table: OptionTable;
  /** Options whose value is a command. */
  readonly names: readonly string[];
  /** What stands around the command in the value; the first group is the command. */
  readonly within?: RegExp;
}

const runsIn = (spec: string, names: string, within?: RegExp): CommandOptions => ({
  table: optionTable(spec),
  names: names.split(" "),
  ...(within && { within }),
});

const pager = runsIn("pager= B=", "pager");
const editor = runsIn("c|cmd= S= u= s e E R n N", "c", /^:?!(.*)$/s);
const debuggerOptions: CommandOptions = {
  table: optionTable("ex|eval-command= batch q", { singleDashLong: true }),
  names: ["ex"],
  within: /^(?:shell|!)\s*(.*)$/s,
};

/** Programs that are no wrappers, with the options that make them start one. */
const byName: ReadonlyMap<string, readonly CommandOptions[]> = new Map(
  Object.entries({
    tar: [
      runsIn(
        "to-command= I|use-compress-program= F|info-script|new-volume-script= rsh-command= C= f= T= X=",
        "to-command I F rsh-command",
      ),
      runsIn("checkpoint-action= checkpoint=?", "checkpoint-action", /^exec=(.*)$/s),
    ],
    rsync: [runsIn("e|rsh= rsync-path=", "e rsync-path")],
    ssh: [runsIn("o=", "o", /^(?:proxycommand|localcommand|knownhostscommand)[= ](.*)$/is)],
    scp: [runsIn("o= S= i= P=", "S"), runsIn("o=", "o", /^(?:proxycommand|localcommand)[= ](.*)$/is)],
    sftp: [runsIn("o= S= i= P=", "S")],
    rg: [runsIn("pre= hostname-bin=", "pre hostname-bin")],
    sort: [runsIn("compress-program=", "compress-program")],
    split: [runsIn("filter=", "filter")],
    zip: [runsIn("TT|unzip-command= T", "TT")],
    man: [runsIn("P|pager= H|html=?", "P H")],
    lftp: [runsIn("c= e= f= u= p=", "c e", /(?:^|;)\s*!([^;]*)/)],
    vim: [editor],
    vi: [editor],
    nvim: [editor],
    ex: [editor],
    view: [editor],
    ag: [pager],
    ack: [pager],
    bat: [pager],
    dc: [runsIn("e|expression= f= i", "e", unixEscape)],
    gnuplot: [runsIn("e= p", "e", /^!(.*)$/s), runsIn("e= p", "e", /(?:\bsystem\s*\(?\s*["']|["'][|<])(.*?)["']/s)],
    go: [{ table: optionTable("exec= toolexec= o=", { singleDashLong: true }), names: ["exec", "toolexec"] }],
    strace: [runsIn("o= e= p=", "o", /^[|!](.*)$/s)],
    latexmk: [
      {
        table: optionTable("pdflatex= latex= xelatex= lualatex=", { singleDashLong: true }),
        names: ["pdflatex", "latex"],
      },
    ],
    w3m: [runsIn("o=", "o", /^(?:extbrowser|editor|mailer)\d*=(.*)$/s)],
    gdb: [debuggerOptions],
    lldb: [runsIn("o|one-line= b Q", "o", /^(?:platform shell|shell)\s*(.*)$/s)],
    wget: [runsIn("use-askpass=", "use-askpass")],
    pandoc: [runsIn("F|filter= L|lua-filter=", "F")],
    tcpdump: [runsIn("z= w= i= G= C= W=", "z")],
  } satisfies Record<string, readonly CommandOptions[]>),
);

export function findCommandOptions({ name, words }: SimpleCommand): Inner[] {
  const args = words.slice(1);
  const found = (byName.get(name) ?? []).flatMap(({ table, names, within }) => {
    const options = parseOptions(args, table);
    return names.flatMap((option) => options.values(option)).flatMap((value) => cut(value, within));
  });
  const started = /^n?vi(?:m|ew)?$|^ex$|^view$/.test(name) ? args.flatMap((word) => cut(word, /^\+:?!(.*)$/s)) : [];
  return [...found, ...started, ...findInWords(name, args)].map((text) => ({ kind: "text", text }));
}

/** What stands in any word: `-XX:OnError=cmd` of Java, `\write18{cmd}` of TeX. */
function findInWords(name: string, args: readonly Word[]): Word[] {
  if (name === "java") return args.flatMap((word) => cut(word, /^-XX:On(?:OutOfMemory)?Error=(.*)$/s));
  if (!/^(?:pdf|xe|lua)?(?:la)?tex$/.test(name)) return [];
  return args.flatMap((word) => {
    const text = /\\write18\s*\{([^}]{0,2000})\}|\\input\s*\|\s*"?([^"}]{0,2000})/.exec(word.text);
    return text === null ? [] : [literal(text[1] ?? text[2] ?? "")];
  });
}

function cut(value: Word, within: RegExp | undefined): Word[] {
  if (!within) return [value];
  const text = within.exec(value.text)?.[1];
  if (text === undefined) return [];
  const from = value.text.length - text.length;
  return [{ ...value, text, prefix: value.prefix.slice(from) }];
}
