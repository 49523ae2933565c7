import { optionTable } from "../parse-options.ts";
import { isDatabase, isDataFile, printsNothing } from "../data-files.ts";
import { locate } from "../paths.ts";
import { isSecretPath } from "../secrets.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import type { Rule, Subject } from "./command-rule.ts";

const rmOptions = optionTable(
  "r|R|recursive f|force i I interactive=? d|dir v|verbose x|one-file-system P W no-preserve-root",
);

export const deleteRules: readonly Rule[] = [
  {
    id: "delete.recursive",
    programs: "rm grm",
    options: rmOptions,
    reason: "It deletes a folder with everything in it.",
    finds: ({ options }) => options.has("recursive"),
  },
  {
    id: "delete.forced",
    programs: "rm grm",
    options: rmOptions,
    reason: "It deletes without asking, whatever the files' permissions are.",
    finds: (subject) =>
      subject.options.has("no-preserve-root") ||
      (subject.options.has("force") && (subject.options.has("recursive") || !isNamedAndSmall(subject))),
  },
  {
    id: "delete.wildcard",
    programs: "rm grm unlink",
    options: rmOptions,
    reason: "It deletes every file that matches a pattern.",
    finds: ({ options }) => options.operands.some((word) => word.kind === "glob"),
  },
  {
    id: "delete.outside",
    programs: "rm grm unlink rmdir",
    options: rmOptions,
    reason: "It deletes something outside the workdir.",
    finds: deletesOutside,
  },
  {
    id: "delete.many",
    programs: "rm grm unlink",
    reason: "It deletes every file that another program names.",
    finds: ({ command, words }) =>
      // In a loop over what another program prints, or with its answers given for it.
      (command.input.kind === "commands" && words.some((word) => word.kind === "dynamic")) ||
      (command.input.kind === "commands" && command.input.commands.some(({ name }) => name === "yes")) ||
      command.via.some((wrapper) => /^(?:find|gfind|fd|fdfind|xargs|gxargs|parallel|entr)$/.test(wrapper)),
  },
  {
    id: "delete.unclear",
    programs: "rm grm unlink",
    options: rmOptions,
    reason: "What it deletes, and how, depends on a value that is not known.",
    finds: ({ options }) =>
      options.isUncertain && options.operands.some((word) => word.isSplit === true) ? "unknown" : false,
  },
  {
    id: "delete.unclear",
    programs: "rm grm",
    options: rmOptions,
    reason: "What it deletes, and how, depends on a value that is not known.",
    finds: ({ words }) =>
      words.some((word) => word.kind === "dynamic" && word.prefix.startsWith("-")) ? "unknown" : false,
  },
  {
    id: "delete.found",
    programs: "find gfind",
    reason: "It deletes every file that it finds.",
    finds: ({ words }) => words.some((word) => word.text === "-delete"),
  },
  {
    id: "delete.shred",
    programs: "shred gshred wipe srm scrub nwipe sfill secure-delete bleachbit",
    reason: "It overwrites data so that nobody can bring it back.",
  },
  {
    id: "delete.tree",
    programs: "rimraf del-cli premove rmtree deltree",
    reason: "It deletes folders with everything in them.",
  },
  {
    id: "delete.uncommitted",
    programs: "hg",
    subcommand: "purge|clean|strip|rollback",
    reason: "It throws away work that is not recorded anywhere else.",
  },
  {
    id: "delete.uncommitted",
    programs: "svn",
    subcommand: "revert|cleanup",
    options: optionTable("R|recursive depth= remove-unversioned remove-ignored"),
    reason: "It throws away work that is not recorded anywhere else.",
    finds: ({ options }) => options.has("recursive", "remove-unversioned", "remove-ignored"),
  },
  {
    id: "delete.remote",
    programs: "svn",
    subcommand: "delete|del|remove|rm",
    reason: "It deletes something in the repository itself.",
    finds: ({ words }) => words.some((word) => /^[a-z+]+:\/\//.test(word.text)),
  },
  {
    id: "delete.trash",
    programs: "trash-empty trash-rm gio",
    reason: "It empties the trash.",
    finds: ({ words, command }) =>
      command.name !== "gio" ||
      (words[0]?.text === "trash" && words.some((word) => word.text === "--empty")) ||
      words[0]?.text === "remove",
  },
  {
    id: "delete.backup",
    programs: "borg restic velero duplicity kopia tarsnap rdiff-backup tmutil bup duplicati-cli snapper timeshift",
    reason: "It deletes backups.",
    finds: ({ words }) =>
      words.some((word) => /^-{0,2}(?:delete.*|prune|forget|remove.*|destroy|purge|nuke|d)$/.test(word.text)) &&
      !words.some((word) => /^(?:-n|--dry-run)$/.test(word.text)),
  },
  {
    id: "delete.emptied",
    programs: "truncate gtruncate",
    options: optionTable("s|size= r|reference= c|no-create o|io-blocks"),
    reason: "It cuts a file and throws its content away.",
    finds: ({ options }) => /^[-<]|^0+[A-Za-z]*$/.test(options.value("size")?.text ?? ""),
  },
  {
    id: "delete.emptied",
    programs: "cp gcp install rsync dd gdd",
    reason: "It overwrites a file with nothing.",
    finds: ({ words, command }) => isEmptying(words, command.name),
  },
  {
    id: "delete.emptied",
    programs: "tee gtee",
    options: optionTable("a|append i p"),
    reason: "It overwrites a file with nothing.",
    finds: ({ options, command }) =>
      !options.has("append") && getsNothing(command) && options.operands.some((word) => isDataFile(word.text)),
  },
  {
    id: "delete.emptied",
    programs: "sed gsed",
    reason: "It deletes every line of a file.",
    finds: ({ words }) =>
      words.some(({ text }) => /^-[A-Za-z]*i|^--in-place/.test(text)) &&
      words.some(({ text }) => /^(?:1,\$|0,\$)?\s*d;?$/.test(text)),
  },
  {
    id: "delete.emptied",
    programs: "ed ex red vi vim nvim",
    reason: "It deletes every line of a file.",
    finds: ({ command: { input }, words }) =>
      [
        input.kind === "text" || input.kind === "dynamic" ? input.text : "",
        ...words.map(({ text }) => text.replace(/^\+/, "")),
      ].some((text) => /^\s*(?:1,\$|%|,|0,\$)d\s*$/m.test(text)),
  },
  {
    id: "delete.mirrored",
    programs: "rsync",
    options: optionTable(
      "e|rsh= f|filter= exclude= include= n|dry-run delete delete-before delete-during delete-after delete-excluded delete-missing-args del remove-source-files",
    ),
    reason: "It deletes files that the other side does not have.",
    finds: ({ words, options }) =>
      !options.has("dry-run") && words.some((word) => /^--(?:del|delete.*|remove-so.*)$/.test(word.text)),
  },
  {
    id: "delete.moved",
    programs: "mv gmv",
    reason: "What is moved onto a device is lost.",
    finds: ({ words }) => words.some((word) => word.text.startsWith("/dev/")),
  },
  {
    id: "delete.outside",
    programs: "mv gmv",
    options: optionTable("t|target-directory= S|suffix="),
    reason: "It moves a folder that others depend on.",
    finds: ({ options, place }) =>
      options.operands
        .slice(0, options.has("t") ? undefined : -1)
        .some((word) => ["system", "home", "protected"].includes(locate(word, place))),
  },
  {
    id: "delete.archived",
    programs: "tar gtar bsdtar zip 7z 7za 7zz",
    reason: "It deletes the files once they are in the archive.",
    finds: ({ words, command }) => words.some((word) => isMoveIntoArchive(word, command.name)),
  },
  {
    id: "delete.windows",
    programs: "del erase rd remove-item format diskpart cipher robocopy",
    reason: "It deletes or overwrites files.",
    finds: ({ words, command }) =>
      ["format", "diskpart", "remove-item"].includes(command.name.toLowerCase()) ||
      words.some((word) => /^\/(?:s|q|f|mir|purge|w:.*)$/i.test(word.text)),
  },
];

/** One file, written out, in the workdir or among the temporary ones, and not one that holds data or keys. */
function isNamedAndSmall({ command, options, place }: Subject): boolean {
  if (options.operands.length !== 1 || /[$`]/.test(command.source.replace(/\$(?:PWD\b|\{PWD\})/g, ""))) return false;
  return options.operands.every((word) => {
    const isKnown =
      word.kind === "literal" || (word.kind === "dynamic" && /^\$(?:PWD|\{PWD\})\/[^$`]+$/.test(word.text));
    return (
      isKnown &&
      !/\/$|(?:^|\/)\.{1,2}$/.test(word.text) &&
      ["inside", "temporary"].includes(locate(word, place)) &&
      !isDatabase(word.text) &&
      !isSecretPath(word.text)
    );
  });
}

function deletesOutside({ options, place }: Subject): boolean {
  return options.operands.some((word) => {
    const location = locate(word, place);
    if (["system", "home", "protected", "device"].includes(location)) return true;
    // Without a known workdir an absolute path may well be in it.
    return location === "outside" && (place.cwd !== undefined || /^(?:\.\.|~|\$HOME)/.test(word.text));
  });
}

function isEmptying(words: readonly Word[], name: string): boolean {
  const operands = words.filter((word) => !word.text.startsWith("-"));
  if (name.endsWith("dd")) {
    const target = words.find((word) => word.text.startsWith("of="));
    return target !== undefined && words.some((word) => word.text === "if=/dev/null") && target.text !== "of=/dev/null";
  }
  return operands.length > 1 && operands.slice(0, -1).some((word) => word.text === "/dev/null");
}

function isMoveIntoArchive({ text }: Word, name: string): boolean {
  if (name.endsWith("tar")) return text.startsWith("--remove-f");
  if (name === "zip") return /^-[A-Za-z0-9]*m[A-Za-z0-9]*$/.test(text) || text === "--move";
  return text === "-sdel";
}

/** What is written is known to be empty. */
function getsNothing({ input }: SimpleCommand): boolean {
  if (input.kind === "text") return input.text.trim() === "";
  if (input.kind === "file") return input.path.text === "/dev/null";
  return input.kind === "commands" && input.commands.length > 0 && input.commands.every(printsNothing);
}
