import type { Readable } from "node:stream";
import { clipText, nearest } from "../../../core/text.ts";
import { messageOf } from "../../../core/errors.ts";
import { toWire } from "../../../core/wire.ts";
import { cleanText } from "../../../guard/terminal-text/clean-text.ts";
import {
  type Checker,
  type CommandCheck,
  createChecker,
  isPathOperation,
  type PathCheck,
  pathOperations,
  type UrlCheck,
} from "../../../permissions/checker.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand check command|path|url|text [VALUE]`, or many of them with `--stdin`. No runtime is opened for it. */
export async function runCheck(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [kindName, value] = invocation.positionals;
  const kind = kindName === undefined ? undefined : parseKind(kindName);
  const fromStdin = invocation.has("stdin");
  if (fromStdin && value !== undefined) throw new UsageError("VALUE and --stdin exclude each other: leave one out.");
  if (invocation.has("op") && (fromStdin || kind !== "path")) {
    throw new UsageError(`--op belongs to "deckhand check path PATH"; with --stdin each line has its own "op".`);
  }
  const operation = invocation.value("op") ?? "read";
  if (!isPathOperation(operation)) {
    throw new UsageError(
      `"${operation}" is nothing that can be done with a path; --op is one of ${pathOperations.join(", ")}.`,
    );
  }
  const checker = createChecker({
    workdir: chooseWorkdir(invocation, terminal.env),
    env: terminal.env,
    resolvesNames: invocation.has("resolve"),
  });
  if (fromStdin) return checkLines(kind, checker, terminal);
  if (kind === undefined) throw new UsageError(`Say what to check: deckhand check ${checkKinds.join("|")} VALUE.`);
  if (value === undefined) {
    throw new UsageError(
      `VALUE is missing: deckhand check ${kind} VALUE, or --stdin for many, one JSON object per line.`,
    );
  }
  return checkOne({ kind, value, operation }, checker, {
    terminal,
    asJson: invocation.has("json"),
  });
}

interface Question {
  readonly kind: CheckKind;
  readonly value: string;
  readonly operation: string;
}

async function checkOne(
  { kind, value, operation }: Question,
  checker: Checker,
  { terminal, asJson }: { readonly terminal: Terminal; readonly asJson: boolean },
): Promise<number> {
  const finish = (document: unknown, description: string, isFine: boolean): number => {
    if (asJson) terminal.printJson(toWire(document));
    else terminal.print(description);
    return isFine ? exitCode.done : exitCode.refused;
  };
  switch (kind) {
    case "command": {
      const check = await checker.command(value);
      const isFine = check.verdict === "safe" && check.rule?.effect !== "deny";
      return finish(check, describeCommandCheck(check, terminal), isFine);
    }
    case "path": {
      const check = await checker.path(value, { operation });
      return finish(check, describePathCheck(check, terminal), check.allowed);
    }
    case "url": {
      const check = await checker.url([{ url: value }]);
      return finish(check, describeUrlCheck(check, terminal), check.allowed);
    }
    case "text": {
      const check = await checker.text(value);
      return finish(check, `${terminal.width === undefined ? check.text : cleanText(check.text)}\n`, true);
    }
  }
}

async function checkLines(kind: CheckKind | undefined, checker: Checker, terminal: Terminal): Promise<number> {
  const lines = readLines(terminal.stdin);
  for (;;) {
    const { value: line } = await lines.next().catch((thrown: unknown) => {
      throw new UsageError(`The lines can't be read from stdin: ${messageOf(thrown)}.`);
    });
    if (line === undefined) return exitCode.done;
    terminal.printJsonLine(await answerLine(line, kind, checker));
    if (terminal.isBehind()) await terminal.flush();
    if (terminal.isClosed()) return exitCode.done;
  }
}

function parseKind(name: string): CheckKind {
  const kind = checkKinds.find((each) => each === name);
  if (kind !== undefined) return kind;
  const [meant] = nearest(name, checkKinds, 1);
  const hint = meant === undefined ? `Expected ${checkKinds.join(", ")}.` : `Did you mean "${meant}"?`;
  throw new UsageError(`"${name}" is nothing that can be checked. ${hint}`);
}

type Styles = Pick<Terminal, "style">;

function describeCommandCheck(check: CommandCheck, terminal: Styles): string {
  const { verdict, reasons, findings, readOnly, rule } = check;
  const colour = { safe: "green", danger: "red", unknown: "yellow" } as const;
  const remark = verdict === "safe" ? (readOnly ? ", read-only" : ", not proved to be read-only") : "";
  const lines = [`${terminal.style(colour[verdict], verdict)}${remark}`];
  if (rule)
    lines.push(`  The rule ${rule.effect} ${neutralizeText(rule.rule)} ${rule.sure ? "covers" : "could cover"} it.`);
  const others = reasons.filter((reason) => !findings.some((finding) => finding.reason === reason));
  lines.push(...others.map((reason) => `  ${neutralizeText(reason)}`));
  for (const { rule: id, reason, command } of findings) {
    lines.push(
      `  ${reason} (${id})`,
      ...neutralizeText(command)
        .split("\n")
        .map((line) => `    ${line}`),
    );
  }
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function describePathCheck({ allowed, ask, reasons, resolved }: PathCheck, terminal: Styles): string {
  const word = allowed
    ? terminal.style("green", "allowed")
    : ask
      ? terminal.style("yellow", "asks a person")
      : terminal.style("red", "refused");
  const leads = allowed && resolved !== null ? [`It is ${resolved}.`] : [];
  return [word, ...[...reasons, ...leads].map((line) => `  ${neutralizeText(line)}`), ""].join("\n");
}

function describeUrlCheck({ allowed, rule, reasons }: UrlCheck, terminal: Styles): string {
  const word = allowed ? terminal.style("green", "allowed") : terminal.style("red", "refused");
  return [word, ...reasons.map((reason) => `  ${neutralizeText(reason)} (${rule})`), ""].join("\n");
}

type CheckKind = "command" | "path" | "url" | "text";

const checkKinds: readonly CheckKind[] = ["command", "path", "url", "text"];

type Fields = Readonly<Record<string, unknown>>;

/** The answer to one line of `check --stdin`. Never rejects: what is wrong with the line is the answer, and the next one follows. */
async function answerLine(line: Line, kind: CheckKind | undefined, checker: Checker): Promise<unknown> {
  if ("problem" in line) return { error: line.problem };
  const fields = parseObject(line.text);
  if (typeof fields === "string") return { error: fields };
  const echo = Object.hasOwn(fields, "id") ? { id: fields["id"] } : {};
  return { ...echo, ...((await answer(fields, kind, checker)) as object) };
}

async function answer(fields: Fields, preferred: CheckKind | undefined, checker: Checker): Promise<unknown> {
  const kinds = preferred === undefined ? checkKinds : [preferred, ...checkKinds];
  const kind = kinds.find((key) => Object.hasOwn(fields, key));
  if (kind === undefined) return { error: `The line has none of the keys ${checkKinds.join(", ")}.` };
  const wrong = findWrongField(fields, kind);
  if (wrong !== undefined) return { error: wrong };
  return toWire(await ask(fields, kind, checker));
}

function ask(fields: Fields, kind: CheckKind, checker: Checker): Promise<unknown> {
  const text = (key: string): string | undefined => fields[key] as string | undefined;
  switch (kind) {
    case "command":
      return checker.command(text("command")!, { cwd: text("cwd") });
    case "path": {
      const question = { operation: text("op") ?? "read", to: text("to"), workdir: text("workdir") };
      return checker.path(text("path")!, question);
    }
    case "url": {
      const rest = (fields["redirects"] ?? []) as readonly (string | Fields)[];
      const steps = rest.map((step) => (typeof step === "string" ? { url: step } : step));
      return checker.url([toStep(fields, fields), ...steps.map((step) => toStep(step, fields))]);
    }
    case "text":
      return checker.text(text("text")!);
  }
}

/** `addresses` is a list for one URL, or an object that says for each name what it leads to. */
function toStep(step: Fields, line: Fields): { url: string; addresses?: readonly string[] } {
  const url = step["url"] as string;
  const own = step["addresses"];
  if (Array.isArray(own)) return { url, addresses: own as string[] };
  const names = line["addresses"];
  const host = URL.parse(url)?.hostname;
  if (!isObject(names) || host === undefined || !Object.hasOwn(names, host)) return { url };
  return { url, addresses: names[host] as string[] };
}

function findWrongField(fields: Fields, kind: CheckKind): string | undefined {
  const optional = { command: ["cwd"], path: ["op", "to", "workdir"], url: [], text: [] }[kind];
  const wrong = [kind, ...optional].find((key) => {
    const value = fields[key];
    return typeof value !== "string" && (key === kind || value !== undefined);
  });
  if (wrong !== undefined) return `The value of "${wrong}" must be a string.`;
  if (kind !== "url") return undefined;
  if (!isAddresses(fields["addresses"]))
    return `"addresses" must be a list of strings, or an object of such lists by name.`;
  const { redirects = [] } = fields;
  const isRedirects = Array.isArray(redirects) && redirects.every(isStep);
  return isRedirects ? undefined : `"redirects" must be a list of URLs, or of objects with "url" and "addresses".`;
}

function isStep(step: unknown): boolean {
  return (
    typeof step === "string" || (isObject(step) && typeof step["url"] === "string" && isAddresses(step["addresses"]))
  );
}

function isAddresses(value: unknown): boolean {
  if (value === undefined || isStrings(value)) return true;
  return isObject(value) && Object.values(value).every(isStrings);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** The object, or one sentence about what it is instead. */
function parseObject(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below: what the parser says is about positions, not about what to do.
  }
  return `The line is not a JSON object such as {"command":"ls"}: ${JSON.stringify(clipText(text.trim(), 60))}.`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** More than any line needs; one that never ends must not fill the memory. */
const longestLine = 16 * 1024 * 1024;

/** A line, or why it can't be used. */
export type Line = { readonly text: string } | { readonly problem: string };

/** The lines of a stream as they come. The next one is only read when somebody asks for it. */
export async function* readLines(stream: Readable): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;

  function* take(part: Buffer): Generator<Line> {
    if (length <= longestLine) parts.push(part);
    const whole = Buffer.concat(parts);
    const isTooLong = length + part.length > longestLine;
    parts = [];
    length = 0;
    yield isTooLong ? { problem: `The line is longer than ${longestLine / 1024 / 1024} MB.` } : decode(whole);
  }

  function decode(bytes: Buffer): Line {
    try {
      return { text: decoder.decode(bytes) };
    } catch {
      return { problem: "The line is not UTF-8 text." };
    }
  }

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield* take(chunk.subarray(from, end));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (length <= longestLine && rest.length > 0) parts.push(rest);
    length += rest.length;
  }
  if (length > 0) yield* take(Buffer.alloc(0));
}
