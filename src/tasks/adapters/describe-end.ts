import type { AgentExit } from "./agent-adapter.ts";
import { readEvent, textAt } from "./read-event.ts";

/** Why there is no answer, from what little is known: "claude exited without an answer (exit code 0). …". */
export function describeEnd(name: string, exit: AgentExit, strayText = ""): string {
  return tellEnd(`${name} exited without an answer (${describeExit(exit)})`, exit, strayText);
}

/** It had answered, and its exit code says that it failed all the same. */
export function describeBadExit(name: string, exit: AgentExit, answer: string): string {
  return tellEnd(`${name} answered, but then failed (${describeExit(exit)})`, exit, answer);
}

function tellEnd(end: string, exit: AgentExit, strayText: string): string {
  const errorEnd = oneLine(exit.errorText, "end");
  const strayEnd = oneLine(strayText, "end");
  const last = errorEnd === "" ? strayEnd : errorEnd;
  if (last === "") return `${end} and printed nothing.`;
  const where = errorEnd === "" ? "stdout" : "stderr";
  const asked =
    asksForInput(strayEnd) || asksForInput(errorEnd)
      ? " It seems to have asked for input, which it can't get here."
      : "";
  return `${end}. End of ${where}: ${last}${/[.!?…]$/.test(last) ? "" : "."}${asked}`;
}

/** What an agent said of its own failure, as one sentence. */
export function describeFailure(name: string, said: string | undefined, otherwise: string): string {
  const text = oneLine(openJson(said ?? ""), "start") || otherwise;
  return `${name} failed: ${text}${/[.!?…]$/.test(text) ? "" : "."}`;
}

/** Many hand on what the model's server answered as it is; a person wants the message in it. */
function openJson(text: string): string {
  if (text.length > 10_000) return text;
  return text.replace(/\{[\s\S]*\}/, (json) => {
    const answer = readEvent(json);
    return textAt(answer, "error", "message") ?? textAt(answer, "message") ?? json;
  });
}

/** One line of at most so many characters, without what only a terminal understands. */
export function oneLine(text: string, keep: "start" | "end", limit = 500): string {
  // A long text is cut before anything looks at all of it.
  const near = keep === "start" ? text.slice(0, limit * 4) : text.slice(-limit * 4);
  const line = near.replaceAll(escapes, "").replaceAll(/\s+/g, " ").replaceAll(controls, "").trim().toWellFormed();
  if (line.length <= limit) return line;
  return (keep === "start" ? `${line.slice(0, limit)}…` : `…${line.slice(-limit)}`).toWellFormed();
}

function describeExit({ code, signal }: AgentExit): string {
  if (code !== null) return `exit code ${code}`;
  return signal === null ? "exit status unknown" : `killed by ${signal}`;
}

function asksForInput(text: string): boolean {
  return /(?:\[y\/n\]|\(y\/n\)|\(yes\/no\)|password:|passphrase[^:]*:|press (?:enter|any key)[^.]*|\? ?›)\s*$/i.test(
    text,
  );
}

// oxlint-disable-next-line no-control-regex -- these are what is taken out
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const controls = /[\u0000-\u001F\u007F-\u009F]/g;
