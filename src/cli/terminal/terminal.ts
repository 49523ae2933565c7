import { styleText } from "node:util";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { Environment } from "../../core/process.ts";
import { fitWidth, neutralizeLine, neutralizeText } from "./terminal-text.ts";

type Style = Parameters<typeof styleText>[0];

/** The three streams of the command: stdout is the result, stderr the commentary. */
export interface Terminal {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  /** For whoever draws on the terminal itself; while they do, nobody else may write. */
  readonly errorStream: NodeJS.WriteStream;
  /** Writes the result, unchanged. */
  print(text: string): void;
  printJson(document: unknown): void;
  /** One JSON document in one line; for streams. */
  printJsonLine(document: unknown): void;
  /** A sentence or more for the person, made harmless. */
  tell(text: string): void;
  /** The same for text that is harmless already and has colours of ours in it. */
  show(text: string): void;
  /** A person can be asked: they see stderr and type into stdin. */
  readonly isInteractive: boolean;
  /** One line that the next one replaces and `null` removes. Only on a terminal, and not behind a result that ends within a line. */
  status(line: string | null): void;
  readonly showsStatus: boolean;
  /** Columns of stdout; undefined when it is no terminal. */
  readonly width: number | undefined;
  /** Styles text for stdout; on anything but a terminal with colours it stays as it is. */
  readonly style: (style: Style, text: string) => string;
  /** The same for stderr. */
  readonly styleError: (style: Style, text: string) => string;
  /** True while the reader of stdout can't keep up. */
  isBehind(): boolean;
  /** True when nobody reads stdout any more: whatever else is printed is lost. */
  isClosed(): boolean;
  /** Resolves when all is written; says what could not be, when it was not the reader who left. */
  flush(): Promise<string | undefined>;
}

const behindBytes = 1024 * 1024;

/** What a command needs of the process that it runs in. */
export type Program = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

export function openTerminal(program: Program): Terminal {
  const { stdout, stderr, env } = program;
  const showsStatus = stderr.isTTY === true && env["TERM"] !== "dumb";
  const statusWidth = (): number => (stderr.columns || 80) - 1;
  let status: string | null = null;
  let isDrawn = false;
  /** The cursor stands behind a part of the result: whatever would erase that line waits for its end. */
  let isWithinLine = false;
  let problem: string | undefined;
  stdout.on("error", (error) => {
    if (!readerIsGone(error)) problem ??= `The result could not be written to stdout: ${messageOf(error)}`;
  });
  // There is nowhere left to say so.
  stderr.on("error", () => undefined);

  function erase(): void {
    if (isDrawn) stderr.write("\r\u001b[K");
    isDrawn = false;
  }

  function draw(): void {
    if (status === null || isWithinLine) return;
    stderr.write(styleText("dim", fitWidth(status, statusWidth()), { stream: stderr }));
    isDrawn = true;
  }

  function show(text: string): void {
    erase();
    stderr.write(`${isWithinLine ? "\n" : ""}${text}\n`);
    isWithinLine = false;
    draw();
  }

  function print(text: string): void {
    if (text === "") return;
    erase();
    stdout.write(text);
    isWithinLine = stdout.isTTY === true && stderr.isTTY === true && !text.endsWith("\n");
    draw();
  }

  return {
    env,
    // Opened when it is asked for: most commands read nothing.
    get stdin() {
      return program.stdin;
    },
    errorStream: stderr,
    showsStatus,
    get width() {
      return stdout.isTTY ? stdout.columns || 80 : undefined;
    },
    print,
    printJson: (document) => print(`${escapeInvisible(JSON.stringify(document, null, 2))}\n`),
    printJsonLine: (document) => print(`${escapeInvisible(JSON.stringify(document))}\n`),
    tell(text) {
      show(neutralizeText(text));
    },
    show,
    get isInteractive() {
      return showsStatus && program.stdin.isTTY === true;
    },
    status(line) {
      if (!showsStatus) return;
      erase();
      status = line === null ? null : neutralizeLine(line);
      draw();
    },
    style: (style, text) => styleText(style, text, { stream: stdout }),
    styleError: (style, text) => styleText(style, text, { stream: stderr }),
    isBehind: () => stdout.writableLength > behindBytes,
    isClosed: () => !stdout.writable,
    async flush() {
      await Promise.all([drain(stdout), drain(stderr)]);
      // A write that failed tells so a turn later.
      await new Promise(setImmediate);
      return problem;
    },
  };
}

/** JSON may spell any character; a terminal must not obey those that move, hide or reorder text. */
function escapeInvisible(json: string): string {
  return json.replaceAll(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// oxlint-disable-next-line no-control-regex -- finding them is what this is for
const invisible = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** `| head` took what it wanted, or the terminal was closed: nothing to complain about. */
function readerIsGone(error: unknown): boolean {
  return ["EPIPE", "EIO", "ERR_STREAM_DESTROYED", "ECONNRESET"].includes(codeOf(error) ?? "");
}

function drain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write("", () => resolve());
  });
}
