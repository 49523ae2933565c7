import type { AgentEvent, AgentEvents, RunEnd } from "../core/agent-events.ts";
import type { Clock } from "../core/clock.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import type { Execution } from "../core/execution.ts";
import { textOfParts, type CallPart, type UserPart } from "../core/message.ts";
import { addUsage, costOf, noUsage, type Model, type ToolOffer, type Usage } from "../core/model.ts";
import type { Session, SessionEntry } from "../core/session.ts";
import type { AgentEventHub } from "./agent-events.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { CompactionOutcome } from "./context/compact.ts";
import { writeMemo } from "./context/memo.ts";
import type { AgentHost, AgentSettings } from "./host.ts";
import { keepContext } from "./keep-context.ts";
import type { OneAtATime } from "./one-at-a-time.ts";
import { runPrompt } from "./run-prompt.ts";
import { createConversationView } from "./session/assemble-conversation.ts";

/** A conversation with a model that has tools. One prompt at a time. */
export interface Agent {
  readonly sessionId: string;
  readonly model: Model;
  /** From the next request on. */
  useModel(model: Model): void;
  /** Resolves when the model has answered, or with why it did not; never rejects for what a model or a tool did. */
  send(prompt: string | readonly UserPart[], options?: { readonly signal?: AbortSignal }): Promise<RunEnd>;
  /** Stops the calls under way; the model hears of it and goes on. False when none is. */
  cancelCalls(reason: string): Promise<boolean>;
  /** The model is told this with the next prompt. */
  remark(text: string): void;
  /** Makes room: old turns become a summary. `focus`: what to keep above all. */
  compact(options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<CompactionOutcome>;
  /** Takes the last compaction back; false when there is none. */
  undoCompaction(): Promise<boolean>;
  /** Null before the first prompt. */
  readonly context: { readonly tokens: number; readonly maxTokens: number } | null;
  /** The whole conversation, also what the model sees only as a summary. */
  readonly history: readonly SessionEntry[];
  /** Since it was opened, compactions included. */
  readonly spent: { readonly usage: Usage; readonly cost: number | null };
  on(listener: (event: AgentEvent) => void): () => void;
}

/** What the model gets before the conversation. The same bytes over the whole of it. */
export interface Opening {
  readonly system: string;
  readonly offers: readonly ToolOffer[];
  /** How much the choice of tools saves; told each turn. Null without tools. */
  readonly saving: AgentEvents["tools:offered"] | null;
  /** A call to the bridge is a call of the tool it names. */
  readonly unwrap: (call: CallPart) => CallPart;
}

export interface ToolChange {
  /** Offered tools that are gone, or take another input now: the conversation can't go on as it is. */
  readonly others: readonly string[];
  /** What the model is told of all else; null when there is nothing. */
  readonly note: string | null;
}

export interface AgentOptions {
  readonly session: Session;
  readonly host: AgentHost;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly model: Model;
  readonly events: AgentEventHub;
  readonly oneAtATime: OneAtATime;
  /** Asked for once, with the first words of the person. */
  readonly openWith: (words: string) => Promise<Opening>;
  /** Asked before each further prompt: are the tools still those that the model was told of? Left out: they are. */
  readonly findToolChange?: (offers: readonly ToolOffer[]) => Promise<ToolChange>;
  /** The run is over; `executions` are its calls. Its end is told after this. */
  readonly afterRun: (end: RunEnd, executions: readonly Execution[]) => Promise<void>;
}

export function createAgent(options: AgentOptions): Agent {
  const { session, host, events, oneAtATime } = options;
  let { model } = options;
  let usage = noUsage;
  let cost: number | null = 0;
  let parts: AgentParts | undefined;
  const underWay = new Set<string>();
  events.on((event) => {
    if (event.type === "call:added") underWay.add(event.executionId);
    if (event.type === "call:settled") underWay.delete(event.executionId);
  });

  async function open(words: string): Promise<AgentParts> {
    if (parts) return parts;
    const opening = await options.openWith(words);
    const view = createConversationView(session);
    const shared = {
      ...options,
      ...opening,
      emit: events.emit,
      model: () => model,
      messages: () => view.read().messages,
      tell: (level: "info" | "warning", text: string) => events.emit("notice:told", { level, text }),
    };
    parts = { ...shared, context: keepContext(shared) };
    return parts;
  }

  function spend(used: Usage, paid: number | null): void {
    usage = addUsage(usage, used);
    cost = cost === null || paid === null ? null : cost + paid;
  }

  async function compact(signal: AbortSignal, focus: string | undefined): Promise<CompactionOutcome> {
    // Which tools are offered is chosen by the first prompt: nothing may be opened before that.
    if (!hasPrompt(session)) return { state: "kept", reason: "There is nothing to compact yet.", usage: noUsage };
    const { context } = await open("");
    const outcome = await context.compact(signal, focus);
    const used = context.takeUsage();
    spend(used, costOf(used, model.price));
    return outcome;
  }

  /** The history is rebuilt from a memo only where it must be: every rebuilding costs the provider's cache. */
  async function takeUpToolChange(): Promise<void> {
    const change = parts && (await options.findToolChange?.(parts.offers));
    if (!parts || !change) return;
    if (change.others.length > 0) {
      const memo = writeMemo(session.branch);
      if (memo) session.append(memo);
      parts.tell("info", `The conversation goes on from a memo, because tools changed: ${change.others.join(", ")}.`);
      parts = undefined;
    }
    if (change.note !== null) session.append({ type: "remark", text: change.note });
  }

  async function take(prompt: readonly UserPart[], signal: AbortSignal): Promise<RunEnd> {
    await takeUpToolChange();
    const opened = await open(textOfParts(prompt));
    const { end, executions } = await runPrompt(opened, prompt, signal);
    spend(end.statistics.usage, end.statistics.cost);
    // What is done about a run that is over must not hide how it ended.
    await options.afterRun(end, executions).catch((thrown: unknown) => opened.tell("warning", messageOf(thrown)));
    events.emit("run:ended", end);
    return end;
  }

  return {
    sessionId: session.id,
    get model() {
      return model;
    },
    useModel(next) {
      if (next.id !== model.id) session.append({ type: "model", model: next.id });
      model = next;
    },
    async send(prompt, { signal } = {}) {
      const words: readonly UserPart[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
      if (words.every((part) => part.type === "text" && part.text.trim() === "")) throw emptyPrompt();
      return oneAtATime.run((either) => take(words, either), signal);
    },
    async cancelCalls(reason) {
      const stopped = await Promise.all([...underWay].map((id) => host.cancel(id, reason)));
      return stopped.includes(true);
    },
    remark: (text) => void session.append({ type: "remark", text }),
    compact: ({ focus, signal } = {}) => oneAtATime.run((either) => compact(either, focus), signal),
    undoCompaction: () => oneAtATime.run(async () => hasPrompt(session) && (await open("")).context.undoCompaction()),
    get context() {
      return parts ? { tokens: parts.context.tokens, maxTokens: parts.context.maxTokens } : null;
    },
    get history() {
      return session.branch;
    },
    get spent() {
      // Nothing was paid so far, and nobody knows what the first request will cost.
      const isUnknown = usage === noUsage && model.price === null;
      return { usage, cost: isUnknown ? null : cost };
    },
    on: (listener) => events.on(listener),
  };
}

function hasPrompt({ branch }: Session): boolean {
  return branch.some(({ type }) => type === "user");
}

function emptyPrompt(): RuntimeError {
  return new RuntimeError("PROMPT_EMPTY", "The prompt is empty: say what is to be done.");
}
