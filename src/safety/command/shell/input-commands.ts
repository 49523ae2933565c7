import type { SimpleCommand } from "../simple-command.ts";
import type { Inner } from "./inner.ts";
import { literal } from "./scope.ts";

/** Where the command stands in a line that an editor or make reads from stdin; the first group is the command. */
const commandLines: Readonly<Record<string, RegExp>> = {
  ed: /^(?:[\d,.$%]*)?(?:r |w |e )?!(.+)$/,
  red: /^!(.+)$/,
  ex: /^:?(?:[\d,.$%]*)?!(.+)$/,
  vi: /^:?(?:[\d,.$%]*)?!(.+)$/,
  vim: /^:?(?:[\d,.$%]*)?!(.+)$/,
  nvim: /^:?(?:[\d,.$%]*)?!(.+)$/,
  make: /^\t[@+-]*(.+)$/,
  gmake: /^\t[@+-]*(.+)$/,
  gdb: /^(?:shell|!)\s*(.+)$/,
};

/** Commands that a program reads from stdin among other things. */
export function findInputCommands({ name, input }: SimpleCommand): Inner[] {
  const pattern = Object.hasOwn(commandLines, name) ? commandLines[name] : undefined;
  if (!pattern || (input.kind !== "text" && input.kind !== "dynamic")) return [];
  return input.text.split("\n").flatMap((line) => {
    const text = pattern.exec(line)?.[1];
    return text === undefined ? [] : [{ kind: "text" as const, text: literal(text) }];
  });
}
