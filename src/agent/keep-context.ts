import type { EmitAgent } from "../core/agent-events.ts";
import type { Message } from "../core/message.ts";
import { addUsage, noUsage, type Model, type ToolOffer, type Usage } from "../core/model.ts";
import type { Session } from "../core/session.ts";
import { compactConversation, type CompactionOutcome } from "./context/compact.ts";
import {
  contextLimit,
  createContextMeter,
  describeTooSmallWindow,
  shouldCompact,
  type ContextMeter,
} from "./context/measure-context.ts";
import { undoCompaction } from "./context/standing-compaction.ts";
import type { AgentSettings } from "./host.ts";

/** Keeps the conversation within the model's window. */
export interface ContextKeeper {
  readonly tokens: number;
  readonly maxTokens: number;
  /** A message of the person, or results, that the next request carries. */
  added(message: Message): void;
  replied(reply: Message, usage: Usage): void;
  /** Before each request: makes room when it fills. One sentence when the window can't hold even what must be sent. */
  prepare(signal: AbortSignal): Promise<string | null>;
  /** The provider said that it was too long. True when there is room now. */
  makeRoom(signal: AbortSignal): Promise<boolean>;
  /** Now, because the person wants it; `focus`: what to keep above all. */
  compact(signal: AbortSignal, focus?: string): Promise<CompactionOutcome>;
  /** Takes the last compaction back; false when there is none. */
  undoCompaction(): boolean;
  /** After each turn. */
  report(): void;
  /** Characters that all results of one reply may have together. */
  roomForResults(): number;
  /** What summaries cost since it was asked last. */
  takeUsage(): Usage;
}

export interface ContextOptions {
  readonly session: Session;
  readonly messages: () => readonly Message[];
  readonly model: () => Model;
  readonly system: string;
  readonly offers: readonly ToolOffer[];
  readonly settings: AgentSettings;
  readonly emit: EmitAgent;
  readonly tell: (level: "info" | "warning", text: string) => void;
}

export function keepContext(options: ContextOptions): ContextKeeper {
  const { session, messages, system, offers, settings, emit, tell } = options;
  let current: ContextMeter | undefined;
  let tooSmall: string | null = null;
  let usage = noUsage;

  /** Another model has another window. */
  function meter(): ContextMeter {
    const maxTokens = contextLimit(settings.maxContextTokens, options.model().limits);
    if (current?.maxTokens === maxTokens) return current;
    current = createContextMeter({ system, tools: offers, maxTokens });
    current.restart(messages());
    tooSmall = describeTooSmallWindow({ system, tools: offers, maxTokens });
    return current;
  }

  /** A meter that is made now has already counted what the session holds. */
  function count(act: (known: ContextMeter) => void): void {
    const known = current;
    if (meter() === known) act(known);
  }

  async function compact(signal: AbortSignal, wanted: CompactionWish = {}): Promise<CompactionOutcome> {
    const {
      maxTokens = meter().maxTokens,
      keepTokens = Math.min(mostKept, Math.floor(maxTokens / 4)),
      ...wish
    } = wanted;
    const outcome = await compactConversation({
      entries: session.branch,
      model: options.model(),
      request: { system, tools: offers, conversationId: session.id },
      maxTokens,
      keepTokens,
      rate: meter().rate,
      signal,
      ...wish,
    });
    usage = addUsage(usage, outcome.usage);
    if (outcome.state !== "compacted") return outcome;
    session.append(outcome.body);
    meter().restart(messages());
    const { tokensBefore, tokensAfter, pins } = outcome.body;
    emit("context:compacted", { tokensBefore, tokensAfter, messages: outcome.messages, pins: pins.length });
    if (outcome.writtenBy === "digest") {
      tell(
        "warning",
        `The model's summary could not be used (${outcome.problems.join("; ")}); a digest stands in for it.`,
      );
    }
    return outcome;
  }

  return {
    get tokens() {
      return meter().tokens;
    },
    get maxTokens() {
      return meter().maxTokens;
    },
    added: (message) => count((known) => known.add(message)),
    replied: (reply, used) => count((known) => known.addReply(reply, used)),
    async prepare(signal) {
      const { tokens, maxTokens } = meter();
      if (tooSmall !== null) return tooSmall;
      if (!shouldCompact(meter())) return null;
      const outcome = await compact(signal);
      if (outcome.state === "kept" && tokens >= maxTokens) tell("warning", outcome.reason);
      return null;
    },
    async makeRoom(signal) {
      // The provider's window is smaller than ours, or it counts more: what it refused is the only measure left.
      const maxTokens = Math.floor(meter().tokens * shareAfterRefusal);
      return (await compact(signal, { maxTokens })).state === "compacted";
    },
    compact: (signal, focus) =>
      compact(signal, { isWished: true, keepTokens: keptByWish, ...(focus === undefined ? {} : { focus }) }),
    undoCompaction() {
      const body = undoCompaction(session.branch);
      if (!body) return false;
      session.append(body);
      meter().restart(messages());
      return true;
    },
    report() {
      const { tokens, maxTokens } = meter();
      emit("context:measured", { tokens, maxTokens });
      const notice = meter().takeNotice();
      if (notice) tell(notice.level, notice.text);
    },
    roomForResults: () => Math.max(leastRoom, (meter().maxTokens - meter().tokens) * charactersOfToken * roomShare),
    takeUsage() {
      const taken = usage;
      usage = noUsage;
      return taken;
    },
  };
}

/** Results must leave room for the reply to them, and are cut by less than they are estimated. */
const roomShare = 0.5;
const charactersOfToken = 3;
const leastRoom = 4000;
/** Of the latest turns, when the rest becomes a summary. */
const mostKept = 20_000;
/** A person who asks for it wants room now. */
const keptByWish = 2_000;
const shareAfterRefusal = 0.7;

interface CompactionWish {
  readonly maxTokens?: number;
  readonly keepTokens?: number;
  readonly isWished?: boolean;
  readonly focus?: string;
}
