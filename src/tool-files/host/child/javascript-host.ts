// The program that a JavaScript or TypeScript tool file runs in: `javascript-host COPY ORIGINAL [STRIPPED]`. Started by the runtime only.
import { readFileSync, writeSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { codeOf, messageOf } from "../../../core/errors.ts";
import type { ToHost } from "../host-protocol.ts";
import type { FileProblem } from "../tool-host.ts";
import { loadTool } from "./load-tool.ts";
import { type RawSpec, readRawSpec } from "./read-raw-spec.ts";
import { listen, send, thrownType, type ToolPlace } from "./to-result.ts";
import { createToolCalls, type ToolCalls } from "./tool-calls.ts";

/** Why the file could not be imported, where, and what to do. */
function explainLoadError(thrown: unknown, place: ToolPlace): FileProblem {
  const message = messageOf(thrown)
    .split("\n")[0]!
    .replace(/ imported from .*/, "");
  const isSyntax = (thrown as { name?: unknown } | null)?.name === "SyntaxError";
  const line = lineIn(thrown, place.original) ?? (isSyntax ? findSyntaxError(place) : findImport(message, place));
  return { message: isSyntax ? `Syntax error: ${message}` : message, line, hint: hintFor(message, place) };
}

/** The first line of the trace that lies in the file. */
function lineIn(thrown: unknown, path: string): number | null {
  const { stack } = Object(thrown) as { readonly stack?: unknown };
  if (typeof stack !== "string") return null;
  // A name with spaces or letters of other scripts stands there as a URL writes it.
  for (const written of [path, pathToFileURL(path).href]) {
    const at = stack.indexOf(`${written}:`);
    if (at >= 0) return Number.parseInt(stack.slice(at + written.length + 1), 10) || null;
  }
  return null;
}

/** Node does not tell where a module of plain JavaScript is wrong; the parser for types does. */
function findSyntaxError(place: ToolPlace): number | null {
  try {
    stripTypeScriptTypes(readFileSync(place.copy, "utf8"), { sourceUrl: place.original });
    return null;
  } catch (thrown) {
    const line = /:(\d+)\n/.exec(String((thrown as Error).stack))?.[1];
    return line === undefined ? null : Number(line);
  }
}

/** Where something is imported that is not there. */
function findImport(message: string, { copy }: ToolPlace): number | null {
  const wanted = /^Cannot find (?:package|module) '(?:.*\/)?([^'/]+)'/.exec(message)?.[1];
  if (wanted === undefined) return null;
  const lines = readFileSync(copy, "utf8").split("\n");
  const index = lines.findIndex((each) => /\b(?:import|from|require)\b/.test(each) && each.includes(wanted));
  return index < 0 ? null : index + 1;
}

function hintFor(message: string, { original }: ToolPlace): string | null {
  for (const [pattern, hint] of hints) {
    const match = pattern.exec(message);
    if (match) return hint(match[1] ?? "", original);
  }
  return null;
}

type Hint = (name: string, path: string) => string;

const hints: readonly (readonly [RegExp, Hint])[] = [
  [
    /TypeScript enum/,
    () => 'Write `const Color = { red: "red" } as const` instead: types are removed, and an enum is more than a type.',
  ],
  [
    /TypeScript (?:namespace|module)/,
    () =>
      "Export functions and constants instead of a namespace: types are removed, and a namespace is more than a type.",
  ],
  [/TypeScript parameter property/, () => "Declare the field in the class and assign it in the constructor."],
  [/TypeScript import equals|import =/, () => 'Write `import name from "package"` instead.'],
  [
    /[Dd]ecorators? (?:are|is) not|Invalid or unexpected token '@'/,
    () => "Decorators can't be used: call the function instead.",
  ],
  [
    /module 'deckhand' does not provide an export named '(.+)'/,
    (name) =>
      `Inside a tool file the package "deckhand" has defineTool only; write \`import type\` if ${name} is a type.`,
  ],
  [
    /provide an export named '(.+)'/,
    (name) => `Write \`import type { ${name} }\` if it is a type; otherwise check its name.`,
  ],
  [
    /Cannot find package '([^']+)'/,
    (name) => `Run \`npm install ${name}\` in the workdir, or write the tool without it.`,
  ],
  [
    /Cannot find module '([^']+)'/,
    () => 'Check the path, and write it with its ending: `import { x } from "./helper.ts"`.',
  ],
  [/(?:require|module|exports) is not defined/, () => "Use import and export, or name the file .cjs."],
];

/**
 * Gives the tool streams that wait until what it prints is taken. Node's own would keep it in memory instead when the tool does
 * nothing but print, until there is none left.
 */
function replacePrintStreams(): void {
  for (const [name, fd] of [
    ["stdout", 1],
    ["stderr", 2],
  ] as const) {
    let stream: PrintStream | undefined;
    const get = (): PrintStream => (stream ??= new PrintStream(fd));
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
}

class PrintStream extends Writable {
  readonly fd: number;
  readonly isTTY = false;

  constructor(fd: number) {
    super({ autoDestroy: false });
    this.fd = fd;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (let sent = 0; sent < chunk.length;) sent += writeSome(this.fd, chunk, sent);
    done();
  }
}

function writeSome(fd: number, chunk: Buffer, from: number): number {
  try {
    return writeSync(fd, chunk, from);
  } catch (thrown) {
    // A child that shares the descriptor has made it one that does not wait.
    if (codeOf(thrown) === "EAGAIN") Atomics.wait(pause, 0, 0, 1);
    // Nobody takes it any more: then it is lost.
    return codeOf(thrown) === "EAGAIN" ? 0 : chunk.length - from;
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

const place: ToolPlace = {
  copy: process.argv[2]!,
  original: process.argv[3]!,
  stripped: process.argv[4] ?? null,
};
process.argv = [process.execPath, place.original];
replacePrintStreams();
let calls: ToolCalls | undefined;
let spec: RawSpec | undefined;
let isEnding = false;
/** What came while the file was still loading. */
const early: ToHost[] = [];

process.on("uncaughtException", (thrown) => tellUncaught(thrown));
process.on("unhandledRejection", (thrown) => tellUncaught(thrown));
process.on("exit", (code) => {
  if (!isEnding) send({ kind: "exiting", id: calls?.current() ?? null, code });
});
listen(
  (message) => (calls ? take(message) : early.push(message)),
  () => void end(),
);
await load();

async function load(): Promise<void> {
  try {
    const tool = await loadTool(place);
    spec = await readRawSpec(tool.spec);
    const has = tool.create ? "create" : tool.run ? "run" : "neither";
    calls = createToolCalls(tool, spec);
    const line = findSpecLine(readFileSync(place.copy, "utf8"));
    send({ kind: "loaded", file: { spec: spec.plain, line, exports: has } });
    for (const message of early) take(message);
  } catch (thrown) {
    tellBroken(thrown);
  }
}

function take(message: ToHost): void {
  switch (message.kind) {
    case "check": {
      const { problems } = spec!.take(message.input);
      return send({ kind: "checked", id: message.id, problems: problems.length === 0 ? null : problems });
    }
    case "call":
      return void calls!.start(message.id, message.input, message.context);
    case "cancel":
      return calls!.cancel(message.id);
    case "answer":
      return calls!.answer(message.id, message.ask, message.answer);
    case "close":
      return void end();
  }
}

/** Also when nobody listens any more: what `create()` opened is closed all the same. */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  try {
    await calls?.close();
  } catch (thrown) {
    console.error(thrown);
  }
  send({ kind: "closed" });
  process.exit(0);
}

function tellBroken(thrown: unknown): void {
  send({ kind: "broken", problem: explainLoadError(thrown, place) });
  isEnding = true;
  process.exit(0);
}

function tellUncaught(thrown: unknown): void {
  console.error(thrown);
  if (!calls) return tellBroken(thrown);
  const id = calls.current();
  if (id !== null) calls.forget(id);
  send({ kind: "uncaught", id, message: messageOf(thrown).slice(0, 10_000), errorType: thrownType(thrown) });
}

/** Where the spec begins, for complaints about what is in it. */
function findSpecLine(source: string): number | null {
  const lines = source.split("\n");
  const found = [/\bTOOL_SPEC\b\s*(?::|=)/, /\bTOOL_SPEC\b/, /\bdefineTool\s*\(/].map((pattern) =>
    lines.findIndex((line) => pattern.test(line)),
  );
  const index = found.find((each) => each >= 0);
  return index === undefined ? null : index + 1;
}
