import { optionTable } from "../parse-options.ts";
import { locate } from "../paths.ts";
import type { Word } from "../simple-command.ts";
import type { Rule, Subject } from "./command-rule.ts";

const options = optionTable(
  "R|recursive v|verbose c|changes f|silent|quiet h|no-dereference H L P reference= from= preserve-root no-preserve-root dereference",
);

export const modeRules: readonly Rule[] = [
  {
    id: "modes.system",
    programs: "chmod gchmod chown gchown chgrp setfacl chattr chcon restorecon chflags xattr",
    options,
    reason: "It changes who may use files of the operating system or of a whole home folder.",
    finds: changesSystem,
  },
  {
    id: "modes.everyone",
    programs: "chmod gchmod",
    options,
    reason: "It lets everyone change a whole tree, or locks everyone out.",
    finds: (subject) => {
      const mode = readMode(subject);
      if (mode === undefined || !opensOrLocks(mode.text)) return false;
      return subject.options.has("recursive") || reachesTree(subject);
    },
  },
  {
    id: "modes.setuid",
    programs: "chmod gchmod",
    options,
    reason: "The program would run with its owner's rights, whoever starts it.",
    finds: (subject) => setsIdentity(readMode(subject)?.text ?? ""),
  },
  {
    id: "modes.setuid",
    programs: "install ginstall mkdir",
    options: optionTable("m|mode= o|owner= g|group= t="),
    reason: "The program would run with its owner's rights, whoever starts it.",
    finds: ({ options: given }) => setsIdentity(given.value("mode")?.text ?? ""),
  },
  {
    id: "modes.everyone",
    programs: "setfacl",
    reason: "It lets everyone change a whole tree, or locks everyone out.",
    finds: (subject) =>
      (reachesTree(subject) || subject.options.has("recursive")) &&
      subject.words.some(({ text }) => /(?:^|,)(?:d(?:efault)?:)?o(?:ther)?s?:[^,]*w/.test(text)),
    options,
  },
  { id: "modes.capabilities", programs: "setcap", reason: "It gives a program rights of the system administrator." },
  { id: "modes.attributes", programs: "chattr chflags", reason: "It changes attributes that protect files." },
  {
    id: "modes.unclear",
    programs: "chmod gchmod chown gchown chgrp",
    options,
    reason: "Whose rights it changes depends on a value that is not known.",
    finds: ({ options: given }) =>
      given.operands.some((word) => word.text === "$@" || word.text === "$*") ? "unknown" : false,
  },
];

/** Through `find` and the like it is a whole tree; what a variable or a pattern names may be one. */
function reachesTree({ command, options: given }: Subject): boolean {
  return (
    command.via.some((wrapper) => /^(?:find|gfind|fd|fdfind|xargs|gxargs|parallel)$/.test(wrapper)) ||
    given.operands.slice(1).some((word) => word.kind !== "literal")
  );
}

function changesSystem({ options: given, place, command, words }: Subject): boolean {
  const targets = given.operands.slice(given.has("reference") ? 0 : command.name === "setfacl" ? 0 : 1);
  const mode = words.find((word) => !word.text.startsWith("-"))?.text ?? "";
  return [...targets, ...given.operands.slice(-1)].some((word) => {
    const location = locate(word, place);
    if (location === "system" || location === "device") return true;
    // `chmod 600 ~/.ssh/key` is what keeps a key secret.
    if (location === "protected") return !/^0?[4-7][04][04]$|^(?:go|og|g|o)[-=]|^u[+=]/.test(mode);
    return location === "home" && given.has("recursive");
  });
}

/** The mode may look like an option: `chmod -w file`. */
function readMode({ options: given, words }: Subject): Word | undefined {
  if (given.has("reference")) return undefined;
  return (
    words.find((word) => /^-[rwxXstugo,=+-]*[rwxst]/.test(word.text) && !/^-[RvcfhHLP]+$/.test(word.text)) ??
    given.operands[0]
  );
}

function opensOrLocks(mode: string): boolean {
  if (/^[0-7]{3,5}$/.test(mode)) return /[2367]$/.test(mode) || mode.endsWith("000") || /^0+$/.test(mode);
  return mode
    .split(",")
    .some((clause) =>
      /^[ugoa]*[ao][ugoa]*[+=][rwxXst]*w|^[+=][rwxXst]*w.*x|^(?:a|ugo)?-(?:rwx|rw|r)$|^a=$/.test(clause),
    );
}

function setsIdentity(mode: string): boolean {
  if (/^[0-7]{4,5}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o6000) !== 0;
  return mode.split(",").some((clause) => /^[ugoa]*(?:[+=-][rwxXstugo]*)*[+=][rwxXt]*s/.test(clause));
}
