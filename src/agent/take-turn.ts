import type { RunEnd, RunState } from "../core/agent-events.ts";
import type { Execution } from "../core/execution.ts";
import { callsOf, textOfParts, type CallResult } from "../core/message.ts";
import {
  addUsage,
  costOf,
  noUsage,
  type FailureKind,
  type Model,
  type ModelRequest,
  type Usage,
} from "../core/model.ts";
import type { AgentParts } from "./agent-parts.ts";
import { openReplyCalls, type ReplyCalls } from "./early-calls.ts";
import { requestReply, type RequestedReply } from "./request-reply.ts";
import { refuseCalls, runCalls } from "./run-calls.ts";
import { tellStopped } from "./stop-reason.ts";
import type { Reply } from "./take-reply.ts";
import { tellNews } from "./tell-news.ts";

/** How a run stands. */
export interface Run {
  readonly signal: AbortSignal;
  turn: number;
  usage: Usage;
  cost: number | null;
  text: string;
  emptyReplies: number;
  readonly executions: Execution[];
}

/** Why a run is over. */
export type Stop = Pick<RunEnd, "state" | "reason" | "failureKind">;

/** One request, its reply and its calls. Says why the run is over, or nothing when it goes on. */
export async function takeTurn(parts: AgentParts, run: Run, mustCall: boolean): Promise<Stop | null> {
  const { settings, emit, context } = parts;
  if (run.signal.aborted) return over("cancelled", tellStopped(run.signal));
  if (run.turn >= settings.maxTurns) return over("max_turns", tellMaxTurns(settings.maxTurns));
  if (settings.maxCost !== null && run.cost !== null && run.cost >= settings.maxCost) {
    return over("max_cost", `Stopped: this cost $${run.cost.toFixed(4)}, and --max-cost is $${settings.maxCost}.`);
  }
  run.turn += 1;
  emit("turn:started", { turn: run.turn });
  if (parts.saving) emit("tools:offered", parts.saving);
  const tooSmall = await context.prepare(run.signal);
  spend(run, parts.model(), context.takeUsage());
  if (tooSmall !== null) return over("failed", tooSmall, "window");
  // The person may choose another one while it speaks.
  const model = parts.model();
  const { reply, calls } = await sendRequest(parts, run, { model, mustCall });
  if (reply.state === "failed") {
    const { kind, message } = reply.failure;
    if (!run.signal.aborted) return over("failed", message, kind);
    keepInterrupted(parts, model, { text: reply.text, why: tellStopped(run.signal) });
    return over("cancelled", tellStopped(run.signal));
  }
  try {
    return await takeUpReply(parts, run, { model, reply, calls });
  } catch (thrown) {
    await calls.cancel("Cancelled: the session could not be written");
    throw thrown;
  }
}

interface WholeReply {
  readonly model: Model;
  readonly reply: Extract<Reply, { state: "finished" }>;
  readonly calls: ReplyCalls;
}

/** Keeps the reply, then runs its calls. */
async function takeUpReply(parts: AgentParts, run: Run, { model, reply, calls }: WholeReply): Promise<Stop | null> {
  const { settings, session, emit, host, context } = parts;
  const cost = spend(run, model, reply.usage);
  const asked = callsOf(reply.parts);
  const text = textOfParts(reply.parts);
  if (text !== "" || asked.length === 0) run.text = text;
  const { usage, stop } = reply;
  session.append({ type: "assistant", parts: reply.parts, model: model.id, stop, usage, cost });
  context.replied({ role: "assistant", parts: reply.parts }, usage);
  if (text !== "") host.log("assistant_output", text);
  emit("reply:finished", { text, calls: asked.length, stop, usage, cost });

  if (asked.length === 0) {
    context.report();
    return afterWords(parts, run, stop);
  }
  if (stop === "refused") {
    await calls.cancel("Cancelled: the reply that asked for it was declined or filtered");
    takeResults(parts, refuseCalls(asked));
    return over("failed", tellRefused(asked.length), "rejected");
  }
  const { results, executions } = await runCalls(calls, asked, {
    session,
    host,
    emit,
    maxCharacters: settings.maxResultCharacters,
    maxCharactersInAll: context.roomForResults(),
  });
  run.executions.push(...executions);
  takeResults(parts, results);
  if (run.signal.aborted) return over("cancelled", tellStopped(run.signal));
  await tellNews(parts);
  return null;
}

function takeResults({ session, context }: AgentParts, results: readonly CallResult[]): void {
  session.append({ type: "results", results });
  context.added({ role: "tool", results });
  context.report();
}

/** The model called nothing: it answered, or it said nothing at all. */
function afterWords(parts: AgentParts, run: Run, stop: string): Stop | null {
  if (run.text.trim() !== "") {
    if (stop === "length")
      parts.tell("warning", "The reply was cut at the model's output limit; say “go on” for the rest.");
    if (stop === "refused") parts.tell("warning", "The model declined to answer this.");
    return over("answered", null);
  }
  if (stop === "refused") return over("failed", "The model declined to answer this.", "rejected");
  run.emptyReplies += 1;
  if (run.emptyReplies > 1) return over("failed", "The model gave an empty reply, twice.", "rejected");
  parts.tell("info", "The model gave an empty reply; it is asked once more.");
  parts.session.append({ type: "remark", text: "Your last reply was empty. Go on, or answer the person." });
  return null;
}

async function sendRequest(
  parts: AgentParts,
  run: Run,
  { model, mustCall }: { readonly model: Model; readonly mustCall: boolean },
): Promise<RequestedReply> {
  const { session, host, settings, clock, emit, context } = parts;
  const send = (): Promise<RequestedReply> => {
    const request: ModelRequest = {
      system: parts.system,
      messages: parts.messages(),
      tools: parts.offers,
      toolChoice: parts.offers.length === 0 ? "none" : mustCall ? "any" : "auto",
      maxOutputTokens: settings.maxOutputTokens,
      conversationId: session.id,
      signal: run.signal,
    };
    return requestReply(model, request, {
      maxAttempts: settings.maxAttempts,
      host,
      clock,
      emit,
      random: Math.random,
      openCalls: () =>
        openReplyCalls({ host, conversationId: session.id, turn: run.turn, signal: run.signal, unwrap: parts.unwrap }),
    });
  };
  const first = await send();
  if (first.reply.state === "finished" || first.reply.failure.kind !== "window" || run.signal.aborted) return first;
  // The provider counts otherwise than we do: make room and send it once more.
  const hasRoom = await context.makeRoom(run.signal);
  spend(run, model, context.takeUsage());
  return hasRoom ? send() : first;
}

function spend(run: Run, { price }: Model, usage: Usage): number | null {
  const cost = costOf(usage, price);
  run.usage = addUsage(run.usage, usage);
  run.cost = run.cost === null || cost === null ? null : run.cost + cost;
  return cost;
}

/** What the model had said when the person stopped it stays: they may speak of it. */
function keepInterrupted(
  { session, context }: AgentParts,
  model: Model,
  { text, why }: { readonly text: string; readonly why: string },
): void {
  if (text.trim() === "") return;
  const parts = [{ type: "text", text }] as const;
  session.append({ type: "assistant", parts, model: model.id, stop: "other", usage: noUsage, cost: null });
  context.added({ role: "assistant", parts });
  session.append({ type: "remark", text: `Your last reply was stopped before it was complete. ${why}` });
}

export function over(state: RunState, reason: string | null, failureKind: FailureKind | null = null): Stop {
  return { state, reason, failureKind };
}

function tellRefused(calls: number): string {
  const which = calls === 1 ? "its call was" : `its ${calls} calls were`;
  return `The reply was declined or filtered by the provider, so ${which} not run; ask in another way.`;
}

function tellMaxTurns(maxTurns: number): string {
  return `Stopped after ${maxTurns} turn${maxTurns === 1 ? "" : "s"}, the most that limits.max_turns allows.`;
}
