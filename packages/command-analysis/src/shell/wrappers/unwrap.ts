import { optionTable, parseOptions, type OptionTable } from "../../parse-options.ts";
import type { SimpleCommand, Word } from "../../simple-command.ts";
import { findCommandOptions } from "./command-options.ts";
import { joinTexts, type Inner } from "../inner.ts";
import { findInputCommands } from "../input-commands.ts";
import { literal } from "../scope.ts";
import { specialWrappers } from "./special-wrappers.ts";
import type { Wrapper } from "./wrapper.ts";
import { findWrapper } from "./wrappers.ts";

interface Unwrapped {
  readonly inners: readonly Inner[];
  readonly privilege?: string;
  readonly isPlain: boolean;
}

/** The commands that a program would start because its arguments say so. Null: it is no wrapper. */
export function unwrap(command: SimpleCommand, fileText: (path: string) => string | undefined): Unwrapped | null {
  const special = specialWrappers.get(command.name.toLowerCase());
  if (special) return { inners: special(command), isPlain: command.name === "xargs" };
  const part = /^git-([a-z][\w-]*)$/.exec(command.name)?.[1];
  // `/usr/lib/git-core/git-push` is `git push`.
  if (part !== undefined) {
    const words = [literal("git"), literal(part), ...command.words.slice(1)];
    return { inners: [{ kind: "words", words }], isPlain: false };
  }
  const wrapper = findWrapper(command.name);
  const inners = wrapper ? unwrapBy(wrapper, command.words.slice(1)) : [];
  const options = [...findCommandOptions(command), ...findInputCommands(command, fileText)];
  if (!wrapper) return options.length > 0 ? { inners: options, isPlain: false } : findAfterDashes(command);
  const { privilege, isPlain = false } = wrapper;
  return { inners: [...inners, ...options], isPlain, ...(privilege !== undefined && { privilege }) };
}

function unwrapBy(wrapper: Wrapper, words: readonly Word[]): Inner[] {
  const options = parseOptions(words, tableOf(wrapper));
  if (wrapper.subcommands) {
    const [name, ...rest] = options.operands;
    const inner = name && Object.hasOwn(wrapper.subcommands, name.text) ? wrapper.subcommands[name.text] : undefined;
    return inner ? unwrapBy(inner, rest) : [];
  }
  if (options.has(...(wrapper.unless ?? []))) return [];
  const skipped = options.operands.slice(wrapper.skip ?? 0);
  const again = wrapper.again ? parseOptions(skipped, tableOf(wrapper)) : options;
  const texts = (wrapper.code ?? []).flatMap((name) => [
    ...options.values(name),
    ...(wrapper.again ? again.values(name) : []),
  ]);
  const inners: Inner[] = texts.map((text) => ({ kind: "text", text: withoutEquals(text) }));
  if (wrapper.anywhere) return inners;
  const dashes = wrapper.afterDashes ? words.findIndex(({ text }) => text === "--") : -1;
  const rest = dashes >= 0 ? words.slice(dashes + 1) : wrapper.again ? again.operands : skipped;
  // `env -S 'cmd'  arguments`: the operands belong to the text.
  if (texts.length > 0 && wrapper.joins !== "each") return [...inners, ...joinOntoCode(wrapper, texts, words)];
  const program = wrapper.program === undefined ? undefined : options.value(wrapper.program);
  const inner = program ? [program, ...rest] : rest;
  if (inner.length === 0) return inners;
  return [
    ...inners,
    ...readRest(wrapper, {
      words: inner,
      isUncertain: options.unknown.length > 0,
      isExact: options.has(...(wrapper.exact ?? [])),
    }),
  ];
}

const tables = new WeakMap<Wrapper, OptionTable>();

function tableOf(wrapper: Wrapper): OptionTable {
  let table = tables.get(wrapper);
  if (!table)
    tables.set(wrapper, (table = optionTable(wrapper.options, { stopsAtOperand: !wrapper.anywhere, numbers: true })));
  return table;
}

/** `-c='…'`: some programs take the sign for a part of the spelling. */
function withoutEquals(word: Word): Word {
  return word.prefix.startsWith("=") ? { ...word, text: word.text.slice(1), prefix: word.prefix.slice(1) } : word;
}

/** `env -S 'bash -c' 'text'`: what follows is added to the words of the text, each as one. */
function joinOntoCode(wrapper: Wrapper, texts: readonly Word[], words: readonly Word[]): Inner[] {
  const last = texts.at(-1);
  if (!wrapper.assigns || !last) return [];
  const rest = words.slice(
    words.findIndex((word) => word === last || (word.text.startsWith("-") && word.text.endsWith(last.text))) + 1,
  );
  if (rest.length === 0) return [];
  const quoted = rest.map((word) =>
    word.kind === "literal" ? literal(`'${word.text.replaceAll("'", `'\\''`)}'`) : word,
  );
  return [{ kind: "text", text: joinTexts([last, ...quoted]) }];
}

interface Rest {
  readonly words: readonly Word[];
  readonly isUncertain: boolean;
  readonly isExact: boolean;
}

function readRest(wrapper: Wrapper, { words, isUncertain, isExact }: Rest): Inner[] {
  if (wrapper.joins === "each") return words.map((text) => ({ kind: "text", text }));
  const isText = wrapper.joins === "always" || (wrapper.joins === "one" && words.length === 1);
  if (isText && !isExact) {
    // Quotes are lost on the way, or not: programs and their versions differ, and so does what people expect.
    return [
      { kind: "text", text: joinTexts(words) },
      ...(words.length > 1 ? [{ kind: "words" as const, words, isGuess: true }] : []),
    ];
  }
  const assignments: { name: string; value: Word }[] = [];
  // `env -` is `env -i`.
  let at = wrapper.assigns && words[0]?.text === "-" ? 1 : 0;
  for (; wrapper.assigns && at < words.length; at += 1) {
    const name = /^([A-Za-z_]\w*)=/.exec(words[at]?.prefix ?? "")?.[1];
    if (name === undefined) break;
    const word = words[at] ?? literal("");
    assignments.push({
      name,
      value: { ...word, text: word.text.slice(name.length + 1), prefix: word.prefix.slice(name.length + 1) },
    });
  }
  const inner = words.slice(at);
  const readings: Inner[] = [{ kind: "words", words: inner, assignments }];
  if (isUncertain && inner.length > 1)
    readings.push({ kind: "words", words: inner.slice(1), assignments, isGuess: true });
  return readings;
}

/** Their arguments after `--` are names, patterns or text. */
const takesData = new Set(
  "echo printf grep egrep fgrep rg ag ack git man which whereis type apropos tldr test [ expr logger cat ls less more head tail wc sort uniq cut basename dirname touch mkdir rmdir cp mv rm ln chmod chown npm yarn pnpm bun cargo go make cmake pytest jest vitest python python3 node read set export alias cd pushd diff sed awk tar zip jq yq tee stat file".split(
    " ",
  ),
);

/** `unknown-program … -- command`: the common way to write a wrapper. */
function findAfterDashes({ name, words }: SimpleCommand): Unwrapped | null {
  if (takesData.has(name)) return null;
  const dashes = words.findIndex(({ text, kind }) => text === "--" && kind === "literal");
  const inner = dashes > 0 ? words.slice(dashes + 1) : [];
  return inner.length === 0 ? null : { inners: [{ kind: "words", words: inner, isGuess: true }], isPlain: false };
}
