import type { Redirect, SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { matchText } from "./match-glob.ts";
import { quoteWord, type PatternWord } from "./pattern-words.ts";
import type { RuleSpec } from "./permission-rule.ts";

type CommandSpec = Extract<RuleSpec, { kind: "command" }>;
export type PartFit = "yes" | "maybe" | "no";

/**
 * Whether a rule speaks of one command, word by word. An allowing rule must also name the variables set for it and the files
 * it writes by redirection; one that denies does not care about those.
 */
export function fitCommand(spec: CommandSpec, command: SimpleCommand, effect: "allow" | "restrict"): PartFit {
  const { words, redirects } = splitRedirects(spec.words);
  if (command.words.length === 0) return "no";
  if (effect === "allow" && !sameTexts(redirects, writtenFiles(command))) return "no";
  const rule = { words, takesMore: spec.takesMore };
  if (effect === "allow") return fitWords(rule, [...assignmentWords(command), ...command.words], { command, effect });
  const direct = fitWords(rule, command.words, { command, effect });
  if (direct === "yes") return "yes";
  // `git -C . push` pushes: what stands between a program and its sub-command must not hide it.
  const fits = skipLeadingOptions(command).map((reading) => {
    const fit = fitWords(rule, reading.words, { command, effect });
    return fit === "yes" && !reading.isSure ? "maybe" : fit;
  });
  return fits.includes("yes") ? "yes" : fits.includes("maybe") ? "maybe" : direct;
}

/** What stands in the parentheses of a rule that fits exactly this command and no other. */
export function grantableText(command: SimpleCommand): string {
  const words = [...assignmentWords(command), ...command.words].map(({ text }) => quoteWord(text));
  const files = command.redirects
    .filter(writesFile)
    .map((each) => `${operatorOf(each)} ${quoteWord(each.target.text)}`);
  return [...words, ...files].join(" ");
}

function fitWords(
  spec: Omit<CommandSpec, "kind">,
  given: readonly Word[],
  { command, effect }: { readonly command: SimpleCommand; readonly effect: "allow" | "restrict" },
): PartFit {
  const hasUnknown = given.some(isDynamic);
  let isSure = true;
  for (const [index, pattern] of spec.words.entries()) {
    const word = given[index];
    // An unquoted variable may hold any number of words, also none.
    if (word === undefined) return hasUnknown ? "maybe" : "no";
    const isProgram = effect === "restrict" && word === command.words[0];
    const fit = fitWord(pattern, isProgram ? programWord(pattern, command) : word);
    if (fit === "no") return given.slice(0, index + 1).some(isDynamic) ? "maybe" : "no";
    if (fit === "maybe") isSure = false;
  }
  const rest = given.slice(spec.words.length);
  if (rest.length > 0 && !spec.takesMore) return hasUnknown ? "maybe" : "no";
  // Whatever they are, a rule that stops any further words stops these.
  return isSure && (effect === "restrict" || !rest.some(isDynamic)) ? "yes" : "maybe";
}

/**
 * A rule that stops `rm` means it by whatever path it is called; one that says `/opt/x/rm` means that one. To allow, the words are
 * taken as they are: `./evil/npm` is not the `npm` that somebody allowed.
 */
function programWord(pattern: PatternWord, { name, words }: SimpleCommand): Word {
  const program = words[0]!;
  return pattern.text.includes("/") || program.kind !== "literal" ? program : { ...program, text: name };
}

function isDynamic({ kind }: Word): boolean {
  return kind === "dynamic";
}

function fitWord(pattern: PatternWord, word: Word): PartFit {
  // Exactly as it was shown to the person who said yes.
  if (pattern.isExact && pattern.text === word.text) return "yes";
  if (isDynamic(word)) return "maybe";
  return !pattern.isExact && matchText(pattern.text, word.text) ? "yes" : "no";
}

function assignmentWords({ assignments }: SimpleCommand): Word[] {
  return assignments.map(({ name, value }) => {
    const before = `${name}=`;
    return { text: before + value.text, kind: value.kind, prefix: before + value.prefix };
  });
}

/** `> file`, one text each; what goes to another descriptor or to /dev/null writes nothing. */
function writtenFiles({ redirects }: SimpleCommand): string[] {
  return redirects.filter(writesFile).map((each) => `${operatorOf(each)} ${each.target.text}`);
}

function operatorOf({ fd, operator }: Redirect): string {
  return `${fd ?? ""}${operator}`;
}

function writesFile({ operator, target }: Redirect): boolean {
  return operator !== "<" && operator !== "<&" && operator !== ">&" && target.text !== "/dev/null";
}

function splitRedirects(words: readonly PatternWord[]): { words: readonly PatternWord[]; redirects: string[] } {
  const first = words.findIndex(({ text, isExact }) => !isExact && /^\d*(>>?|>\||&>>?|<>|>&)$/.test(text));
  if (first < 0) return { words, redirects: [] };
  const texts = words.slice(first).map(({ text }) => text);
  const redirects: string[] = [];
  for (let index = 0; index < texts.length; index += 2)
    redirects.push(`${texts[index]!.replace(">&", "&>")} ${texts[index + 1] ?? ""}`);
  return { words: words.slice(0, first), redirects };
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

export interface Reading {
  /** The program and what comes after its own options: `git push` of `git -C . push`. */
  readonly words: readonly Word[];
  /** False when it depends on whether an option takes the next word as its value. */
  readonly isSure: boolean;
}

/** The ways to read a command without the options that stand before its sub-command. */
function skipLeadingOptions({ name, words }: SimpleCommand): Reading[] {
  const program = words[0];
  if (!program || !words[1] || !isOption(words[1])) return [];
  const valued = optionsWithValue[name];
  const readings: Reading[] = [];
  let at = 1;
  let isSure = true;
  for (let word = words[at]; word && isOption(word); word = words[at]) {
    const takesValue = !word.text.includes("=") && valued?.has(word.text) === true;
    at += takesValue ? 2 : 1;
    // An option that nobody here knows may take the word behind it.
    const isKnown = takesValue || word.text.includes("=") || valued !== undefined;
    if (!isKnown && words[at] && !isOption(words[at]!)) {
      readings.push({ words: [program, ...words.slice(at + 1)], isSure: false });
      isSure = false;
    }
  }
  const rest = words.slice(at);
  // `-c alias.p=push p`: what the sub-command stands for is in a setting.
  const isRenamed =
    name === "git" && words.slice(1, at).some(({ prefix }) => /(?:^|=)alias\.|^--config-env/i.test(prefix));
  if (isRenamed && rest[0])
    readings.push({ words: [program, { ...rest[0], kind: "dynamic" }, ...rest.slice(1)], isSure: false });
  return [...readings, { words: [program, ...rest], isSure }];
}

function isOption({ text }: Word): boolean {
  return text.length > 1 && text.startsWith("-");
}

const options = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const containers = options(
  "-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey --connection --url",
);
const clusters = options(
  "-n --namespace --context --kubeconfig --kube-context --cluster --user -s --server --token --as --as-group --request-timeout -v",
);

/** Of programs with sub-commands: which of their own options take the next word. */
const optionsWithValue: Readonly<Record<string, ReadonlySet<string>>> = {
  git: options("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"),
  docker: containers,
  podman: containers,
  nerdctl: containers,
  kubectl: clusters,
  oc: clusters,
  helm: clusters,
  npm: options("--prefix -w --workspace --registry --userconfig --cache"),
  pnpm: options("-C --dir --filter -F --prefix"),
  yarn: options("--cwd"),
  gh: options("-R --repo"),
  aws: options("--profile --region --output --endpoint-url --query"),
  gcloud: options("--project --account --configuration --format"),
  az: options("--subscription --output -o"),
  cargo: options("--manifest-path --config --color -Z"),
  go: options("-C"),
  make: options("-C -f -I -o -W --directory --file"),
  systemctl: options("-H -M --host --machine -t --type"),
  pip: options("--python --proxy --cert --log"),
  uv: options("--directory --project --config-file"),
  composer: options("-d --working-dir"),
  poetry: options("-C --directory -P --project"),
  terraform: options(""),
  tofu: options(""),
};
