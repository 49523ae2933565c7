import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { daemonLogName } from "../../../daemon/daemon-log.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { lookForDaemon } from "./serve-client.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";

const usualLines = 50;
const lookEveryMs = 250;

/** `deckhand serve logs`: what the daemon said about itself. */
export async function runServeLogs(invocation: Invocation, terminal: Terminal): Promise<number> {
  const wanted = readLines(invocation.value("lines"));
  const path = join(lookForDaemon(invocation, terminal).folders.logs, daemonLogName);
  const before = `${path}.1`;
  if (![path, before].some((each) => statSync(each, { throwIfNoEntry: false }))) {
    terminal.tell(`No daemon has said anything here yet: there is no ${path}.`);
    if (!invocation.has("follow")) return exitCode.failed;
  }
  const text = readIfThere(path);
  const lines = linesOf(text);
  // The file before it was renamed when it was full.
  const all = lines.length < wanted ? [...linesOf(readIfThere(before)), ...lines] : lines;
  show(wanted === 0 ? [] : all.slice(-wanted), invocation, terminal);
  if (!invocation.has("follow")) return exitCode.done;
  return follow({ path, from: Buffer.byteLength(text) }, invocation, terminal);
}

async function follow(
  { path, from }: { readonly path: string; readonly from: number },
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const enough = new AbortController();
  const watch = watchSignals(terminal, () => enough.abort());
  let at = from;
  try {
    while (!enough.signal.aborted && !terminal.isClosed()) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size < at) at = 0; // A new file was begun.
      if (size > at) {
        const text = readPart(path, at, size - at);
        const whole = text.subarray(0, text.lastIndexOf(10) + 1);
        at += whole.length;
        show(linesOf(whole.toString()), invocation, terminal);
      }
      await pause(lookEveryMs, undefined, { signal: enough.signal }).catch(() => undefined);
    }
    return watch.signal ? codeOfSignal[watch.signal] : exitCode.done;
  } finally {
    watch.end();
  }
}

function show(lines: readonly string[], invocation: Invocation, terminal: Terminal): void {
  for (const line of lines) {
    const [, at, pid, sentence] = /^(\S+) (\d+) (.*)$/.exec(line) ?? [];
    if (invocation.has("json")) terminal.printJsonLine({ at, pid: Number(pid), text: sentence ?? line });
    else terminal.print(`${neutralizeText(line)}\n`);
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

function readIfThere(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8") : "";
}

function readPart(path: string, from: number, length: number): Buffer {
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, from));
  } finally {
    closeSync(fd);
  }
}

function readLines(given: string | undefined): number {
  if (given === undefined) return usualLines;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UsageError(`--lines takes a whole number, got "${given}".`);
}
