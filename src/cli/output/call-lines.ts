import type { AgentEvent, RuntimeEvent } from "../../core/events.ts";
import { formatDuration } from "../../core/time.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { describeReplaying } from "../commands/agent/show-replay.ts";
import {
  displayWidth,
  fitWidth,
  neutralizeLine,
  neutralizeText,
  styleDiff,
  wrapText,
} from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { countOf, formatSize, spinnerAt } from "./format-figures.ts";
import type { LiveView } from "./screen.ts";

/** The calls that are under way, one row each, and how those that ended are told. */
export interface CallLines {
  agent(event: AgentEvent): void;
  runtime(event: RuntimeEvent): void;
  /** Those under way, the first one first; where there is no room for all, the last row says how many more. */
  liveRows(view: LiveView): string[];
  /** The rows that stay of a call that ended; it is no longer under way. */
  settle(event: AgentEvent<"call:settled">, columns: number): string[];
  /** Forgets what was announced and never came, and with `all` also what never ended. */
  forget(which: "announced" | "all"): void;
}

interface Call {
  readonly tool: string;
  title: string;
  isEarly: boolean;
  executionId: string | null;
  state: "announced" | "waiting" | "asked" | "running";
  /** On the clock of `now`; null while it does not run. */
  since: number | null;
  lastLine: string;
}

export interface CallLinesOptions {
  readonly style: Terminal["style"];
  /** Of the clock's `monotonic`. */
  readonly now: () => number;
}

export function createCallLines({ style, now }: CallLinesOptions): CallLines {
  const calls = new Map<string, Call>();

  function findCall(executionId: string): Call | undefined {
    return [...calls.values()].find((call) => call.executionId === executionId);
  }

  return {
    agent(event) {
      if (event.type === "call:announced") {
        calls.set(event.callId, newCall(event.tool));
      } else if (event.type === "call:added") {
        const { callId, executionId, tool, title, isEarly } = event;
        const started = calls.get(callId)?.tool === tool ? calls.get(callId) : undefined;
        calls.set(callId, { ...(started ?? newCall(tool)), executionId, title, isEarly, state: "waiting" });
      }
    },
    runtime(event) {
      if (event.type === "execution:started") startCall(findCall(event.id), now());
      else if (event.type === "execution:progressed") noteProgress(findCall(event.id), event.progress);
      else if (event.type === "rollout:replaying") noteReplay(calls.values(), event);
      else if (event.type === "approval:asked") changeState(findCall(event.id), "asked");
      else if (event.type === "approval:settled") changeState(findCall(event.id), "waiting");
    },
    liveRows(view) {
      const all = [...calls.values()];
      const isCrowded = all.length * 2 > view.rows;
      const rows = all.map((call) => renderLive(call, view, { style, showsOutput: !isCrowded })).flat();
      if (rows.length <= view.rows) return rows;
      const kept = Math.max(0, view.rows - 1);
      return [...rows.slice(0, kept), style("dim", fitWidth(`  … ${rows.length - kept} more`, view.columns))];
    },
    settle(event, columns) {
      const call = calls.get(event.callId) ?? newCall(event.tool);
      calls.delete(event.callId);
      return renderSettled(call, event, { columns, style });
    },
    forget(which) {
      for (const [callId, { state }] of calls) if (which === "all" || state === "announced") calls.delete(callId);
    },
  };
}

function newCall(tool: string): Call {
  return { tool, title: "", isEarly: false, executionId: null, state: "announced", since: null, lastLine: "" };
}

function startCall(call: Call | undefined, at: number): void {
  if (!call) return;
  call.state = "running";
  call.since = at;
  call.lastLine = "";
}

/** The calls of this tool that wait do so for that. */
function noteReplay(calls: Iterable<Call>, event: RuntimeEvent<"rollout:replaying">): void {
  for (const call of calls) {
    if (call.since === null && call.tool === event.tool) call.lastLine = neutralizeLine(describeReplaying(event));
  }
}

function changeState(call: Call | undefined, state: Call["state"]): void {
  if (call) call.state = state;
}

function noteProgress(
  call: Call | undefined,
  { output = "", message }: RuntimeEvent<"execution:progressed">["progress"],
): void {
  if (!call) return;
  // Output may be large: only its end is looked at.
  const lines = cleanText(output.slice(-1000)).split("\n");
  const last = lines.findLast((line) => line.trim() !== "")?.trim() ?? message;
  if (last !== undefined) call.lastLine = neutralizeLine(last);
}

function renderLive(
  call: Call,
  { columns, now }: LiveView,
  { style, showsOutput }: { readonly style: Terminal["style"]; readonly showsOutput: boolean },
): string[] {
  const elapsed =
    call.since === null ? null : formatDuration(Math.max(1, Math.floor((now - call.since) / 1000)) * 1000);
  const isYoung = call.since !== null && now - call.since < 1000;
  const words = { announced: "…", waiting: null, asked: "waits for you", running: isYoung ? null : elapsed }[
    call.state
  ];
  const mark = call.state === "asked" ? style("yellow", "?") : style("cyan", spinnerAt(now));
  const row = headRow(call, words === null ? [] : [words], { columns, style, mark });
  if (!showsOutput || call.lastLine === "") return [row];
  return [row, style("dim", fitWidth(`  ${call.lastLine}`, columns))];
}

interface RowOptions {
  readonly columns: number;
  readonly style: Terminal["style"];
  readonly mark: string;
}

/** `✓ bash npm test · exit 1 · 3.2 s`: the title gives way first, then the last words; the name stays. */
function headRow(call: Call, words: readonly string[], { columns, style, mark }: RowOptions): string {
  const name = neutralizeLine(call.tool);
  const tail = fitTail(words, columns - 2 - Math.min(displayWidth(name), longestShortName) - displayWidth(" · "));
  const tailRoom = tail === "" ? 0 : displayWidth(` · ${tail}`);
  const room = columns - 2 - tailRoom;
  const head = fitWidth(name, room);
  const titleRoom = room - displayWidth(head) - 1;
  const title = titleRoom < 4 ? "" : fitWidth(neutralizeLine(call.title), titleRoom);
  return [
    `${mark} ${style("bold", head)}`,
    title === "" ? "" : ` ${title}`,
    tail === "" ? "" : style("dim", ` · ${tail}`),
  ].join("");
}

/** Of a longer name a part is enough where there is little room. */
const longestShortName = 12;

function fitTail(words: readonly string[], room: number): string {
  const kept = words.filter((word) => word !== "");
  while (kept.length > 1 && displayWidth(kept.join(" · ")) > room) kept.pop();
  return room < 4 ? "" : fitWidth(kept.join(" · "), room);
}

function renderSettled(
  call: Call,
  event: AgentEvent<"call:settled">,
  { columns, style }: { readonly columns: number; readonly style: Terminal["style"] },
): string[] {
  const { durationMs, error, hint, diff } = event;
  const isStopped = event.state === "cancelled" || event.state === "timeout" || event.errorType === "denied";
  const mark = event.state === "completed" ? style("green", "✓") : isStopped ? style("yellow", "■") : style("red", "✗");
  const elapsed = durationMs === null ? "" : formatDuration(durationMs);
  const row = headRow(call, [describeResult(event), elapsed, call.isEarly ? "early" : ""], { columns, style, mark });
  const indent = (text: string): string => fitWidth(`  ${text}`, columns);
  const rows = [row];
  if (!saysAll(event) && error !== null) {
    // Why a call was refused is never cut: it says what to do about it.
    const lines = event.errorType === "denied" ? wrapText(neutralizeLine(error), columns - 2) : [neutralizeLine(error)];
    rows.push(...lines.map((line) => style(isStopped ? "yellow" : "red", indent(line))));
  }
  if (event.state === "failed" && errorOutput(event) !== "") rows.push(style("dim", indent(errorOutput(event))));
  if (event.state !== "completed" && hint !== undefined) rows.push(style("dim", indent(neutralizeLine(hint))));
  if (diff !== null) rows.push(...foldDiff(diff, { columns, style }));
  return rows;
}

/** A command that failed mostly says why at its end. */
function errorOutput({ errorType, output }: AgentEvent<"call:settled">): string {
  if (errorType !== "exit_code") return "";
  const lines = cleanText(output).split("\n");
  return neutralizeLine(lines.findLast((line) => line.trim() !== "")?.trim() ?? "");
}

const shownLines = 20;

/** The beginning of a diff in colours, indented and cut at the width; the last row says how much more there is. */
function foldDiff(
  diff: string,
  { columns, style }: { readonly columns: number; readonly style: Terminal["style"] },
): string[] {
  const lines = neutralizeText(diff.trimEnd()).split("\n");
  // The name of the file stands in the row of the call.
  const body = lines.filter((line, index) => index > 1 || !/^(?:---|\+\+\+) /.test(line));
  const hidden = body.length > shownLines + 1 ? body.length - shownLines : 0;
  const rows = body
    .slice(0, body.length - hidden)
    .map((line) => `  ${styleDiff(fitWidth(line.replaceAll("\t", "    "), columns - 2), style)}`);
  return hidden === 0 ? rows : [...rows, style("dim", fitWidth(`  … ${hidden} more`, columns))];
}

type Settled = AgentEvent<"call:settled">;

/** What came of a call in a few words: `120 lines`, `exit 1`, `+3 −1`, `refused`. Empty: that it is done says it all. */
function describeResult(settled: Settled): string {
  const { state, errorType, error } = settled;
  switch (state) {
    case "completed":
      return describeOutput(settled);
    case "cancelled":
      return errorType === "denied" ? "refused" : "cancelled";
    case "timeout":
      return "timed out";
    case "failed":
      return describeFailure(errorType, error);
  }
}

/** How it ended needs no sentence more. */
function saysAll({ state, errorType }: Settled): boolean {
  return state === "completed" || (state === "failed" && errorType === "exit_code");
}

function describeFailure(errorType: Settled["errorType"], error: string | null): string {
  const code = errorType === "exit_code" ? /code (\d+)/.exec(error ?? "")?.[1] : undefined;
  if (code !== undefined) return `exit ${code}`;
  if (errorType === "denied") return "refused";
  if (errorType === "runtime_lost") return "outcome unknown";
  return errorType === null ? "failed" : neutralizeLine(errorType).replaceAll("_", " ");
}

function describeOutput({ tool, output, outputBytes, outputLines, diff }: Settled): string {
  if (diff !== null) return countChanges(diff);
  if (output.trim() === "") return tool === "bash" ? "no output" : "";
  const isWhole = Buffer.byteLength(output) >= outputBytes;
  const lines = outputLines ?? (isWhole ? countLines(output) : null);
  if (lines === null) return formatSize(outputBytes);
  const only = neutralizeLine(cleanText(output)).trim();
  if (lines === 1 && only.length <= longestAnswer && !countedTools.has(tool)) return only;
  return countOf(lines, nouns[tool] ?? "line");
}

const longestAnswer = 60;
const countedTools = new Set(["read", "glob", "grep"]);
const nouns: Readonly<Record<string, string>> = { glob: "file" };

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}

function countChanges(diff: string): string {
  const lines = diff.split("\n");
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
  return `+${added} −${removed}`;
}
