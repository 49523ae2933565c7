import type { AgentEvent, RuntimeEvent } from "../../core/events.ts";
import type { Clock } from "../../core/clock.ts";
import { formatDuration } from "../../core/time.ts";
import { addUsage, noUsage, type Usage } from "../../core/model.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { describeReplay, isFirstOfReplay } from "../commands/agent/show-replay.ts";
import { fitWidth, neutralizeLine, neutralizeText, wrapText } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createCallLines } from "./call-lines.ts";
import { describeEnd, describeEvent, describeRetry, type Remark } from "./describe-run.ts";
import { percentOf, spinnerAt } from "./format-figures.ts";
import { createReplyText } from "./reply-text.ts";
import type { LiveView, Screen } from "./screen.ts";
import { renderStatusLine, type RunStatus } from "./status-line.ts";

/** Shows what an agent does, run after run. */
export interface RunRenderer {
  readonly screen: Screen;
  agent(event: AgentEvent): void;
  runtime(event: RuntimeEvent): void;
  /** The row of model, tokens, cost and mode, also for the prompt. */
  readonly status: (columns: number) => string;
  /** The whole output of the last call; `read` gets it by its execution, null when there is no record. */
  unfold(read: (executionId: string) => Promise<string | null>): Promise<void>;
  /** A line of ours between what the agent does. */
  note(text: string): void;
  /** Whatever was under way is over. The screen stays open. */
  end(): void;
}

export interface RunRendererOptions {
  readonly screen: Screen;
  readonly terminal: Pick<Terminal, "styleError">;
  readonly clock: Clock;
  /** The permission mode of the moment. */
  readonly mode: () => string | null;
  /** Ring when the person is waited for, and at the end of a long run; left out: yes. */
  readonly bell?: boolean;
  /** `before_calls`: the answer itself is shown elsewhere, here only what the model says before it calls tools. */
  readonly text?: "all" | "before_calls";
  /** What goes on with a task that a limit stopped, as a sentence; left out: the next prompt does. */
  readonly howToGoOn?: string;
  /** How to allow calls in advance, where no one can be asked. */
  readonly howToAllow?: string;
}

type Block = "text" | "thought" | "calls" | "remark";

/** What the row below the calls tells. */
type Activity =
  | { readonly kind: "waiting"; readonly since: number }
  | { readonly kind: "retrying"; readonly until: number; readonly attempt: number; readonly maxAttempts: number };

/** A run that took longer may have been left alone. */
const longRunMs = 10_000;

export function createRunRenderer(options: RunRendererOptions): RunRenderer {
  const { screen, clock, bell = true, text: shownText = "all", howToGoOn = "Say “go on” to continue." } = options;
  const { howToAllow = null } = options;
  const style = options.terminal.styleError;
  const now = (): number => clock.monotonic();
  const calls = createCallLines({ style, now });
  const status = createStatusKeeper({ mode: options.mode, now });
  const reply = createReplyText({ screen, style, now, openBlock });
  let lastBlock: Block | null = null;
  let activity: Activity | null = null;
  let withheld = "";
  let wasCutOff = false;
  let lastSaved = "";
  let stopCountdown = (): void => undefined;
  let lastCall: AgentEvent<"call:settled"> | null = null;
  let refused: AgentEvent<"call:settled">[] = [];

  function openBlock(kind: Block): void {
    screen.freshLine();
    if (lastBlock !== null && (lastBlock !== kind || kind === "text")) screen.write("\n");
    lastBlock = kind;
  }

  function ring(): void {
    if (bell) screen.bell();
  }

  function remark({ tone, text }: Remark): void {
    reply.pause();
    openBlock("remark");
    const lines = text.split("\n").flatMap((line) => wrapText(line, screen.columns));
    const look = ({ quiet: "dim", warning: "yellow", error: "red" } as const)[tone];
    screen.write(lines.map((line) => `${style(look, line)}\n`).join(""));
  }

  function tellCutOff(isTriedAgain: boolean): void {
    if (wasCutOff) remark({ tone: "quiet", text: isTriedAgain ? "— cut off, trying again" : "— cut off" });
    wasCutOff = false;
  }

  function liveRows(view: LiveView): string[] {
    const line = renderStatusLine(status.read(view.now), view.columns, style);
    const doing = reply.thinkingRow(view) ?? activityRow(view);
    const below = [...(doing === undefined ? [] : [doing]), line];
    return [...calls.liveRows({ ...view, rows: view.rows - below.length }), ...below];
  }

  function activityRow({ columns, now: at }: LiveView): string | undefined {
    if (activity === null) return undefined;
    const elapsed = (since: number): string => formatDuration(Math.max(1, Math.floor((at - since) / 1000)) * 1000);
    const text =
      activity.kind === "waiting"
        ? `thinking… ${elapsed(activity.since)}`
        : describeRetry(activity, activity.until - at);
    return `${style("cyan", spinnerAt(at))} ${style("dim", fitWidth(text, columns - 2))}`;
  }

  function showText(text: string): void {
    activity = null;
    tellCutOff(true);
    if (shownText === "all") reply.text(text);
    else withheld += text;
  }

  function finishReply(callCount: number): void {
    if (withheld !== "" && callCount > 0) reply.text(withheld);
    withheld = "";
    reply.pause();
    activity = null;
  }

  function showSettled(event: AgentEvent<"call:settled">): void {
    lastCall = event;
    if (event.errorType === "denied") refused.push(event);
    reply.pause();
    const rows = calls.settle(event, screen.columns);
    openBlock("calls");
    screen.write(rows.map((row) => `${row}\n`).join(""));
  }

  function showEnd(event: AgentEvent<"run:ended">): void {
    tellCutOff(false);
    endRun();
    for (const each of describeEnd(event, { refused, howToGoOn, howToAllow })) remark(each);
    if (event.statistics.durationMs > longRunMs) ring();
    lastBlock = null;
    lastSaved = "";
  }

  function endRun(): void {
    stopCountdown();
    finishReply(0);
    calls.forget("all");
    screen.setLive(null);
    screen.freshLine();
  }

  function tellOnce(event: AgentEvent): void {
    const told = describeEvent(event);
    // The offered tools stay the same over a conversation; so does the line about them.
    if (event.type === "tools:offered" && told?.text === lastSaved) return;
    if (event.type === "tools:offered") lastSaved = told?.text ?? "";
    if (told) remark(told);
  }

  function agent(event: AgentEvent): void {
    status.agent(event);
    calls.agent(event);
    switch (event.type) {
      case "run:started":
        wasCutOff = false;
        refused = [];
        return screen.setLive(liveRows);
      case "turn:started":
        reply.begin();
        activity = { kind: "waiting", since: now() };
        return;
      case "reply:text":
        return showText(event.text);
      case "reply:thinking":
        activity = null;
        return reply.thinking(event.text);
      case "call:announced":
      case "call:added":
        activity = null;
        return reply.pause();
      case "call:settled":
        return showSettled(event);
      case "reply:finished":
        return finishReply(event.calls);
      case "reply:discarded":
        wasCutOff = reply.hasText && event.kind !== "aborted";
        withheld = "";
        calls.forget("announced");
        return finishReply(0);
      case "model:retrying": {
        tellCutOff(true);
        const { attempt, maxAttempts, delayMs } = event;
        tellOnce(event);
        reply.begin();
        activity = { kind: "retrying", until: now() + delayMs, attempt, maxAttempts };
        stopCountdown();
        stopCountdown = clock.after(delayMs, () => {
          if (activity?.kind === "retrying") activity = { kind: "waiting", since: now() };
        });
        return;
      }
      case "run:ended":
        return showEnd(event);
      default:
        tellOnce(event);
    }
  }

  return {
    screen,
    agent,
    runtime(event) {
      calls.runtime(event);
      // Where rows are drawn that of the call says so.
      if (event.type === "rollout:replaying" && !screen.isLive && isFirstOfReplay(event)) {
        remark({ tone: "quiet", text: neutralizeText(describeReplay(event)) });
      }
      const asks = event.type === "approval:asked" || event.type === "inbox:added";
      if (asks || (event.type === "execution:started" && event.toolId === "ask_user")) ring();
    },
    status: (columns) => renderStatusLine(status.read(now()), columns, style),
    async unfold(read) {
      if (lastCall === null) return remark({ tone: "quiet", text: "No tool was called yet." });
      const { tool, executionId, output, error } = lastCall;
      const whole = (await read(executionId)) ?? output;
      remark({ tone: "quiet", text: `${neutralizeLine(tool)} · ${executionId}` });
      const text = cleanText(whole).trimEnd();
      screen.write(`${text === "" ? neutralizeLine(error ?? "(no output)") : text}\n`);
    },
    note: (text) => remark({ tone: "quiet", text: neutralizeText(text) }),
    end: endRun,
  };
}

/** The figures of a conversation, from its events. */
export interface StatusKeeper {
  agent(event: AgentEvent): void;
  /** `now` of the clock's `monotonic`. */
  read(now: number): RunStatus;
}

function createStatusKeeper(options: { readonly mode: () => string | null; readonly now: () => number }): StatusKeeper {
  let model: string | null = null;
  let usage: Usage = noUsage;
  let cost: number | null = null;
  let context: { readonly tokens: number; readonly maxTokens: number } | null = null;
  let startedAt: number | null = null;

  return {
    agent(event) {
      switch (event.type) {
        case "run:started":
          model = event.model;
          startedAt = options.now();
          break;
        case "run:ended":
          startedAt = null;
          break;
        case "reply:finished":
          usage = addUsage(usage, event.usage);
          if (event.cost !== null) cost = (cost ?? 0) + event.cost;
          break;
        case "context:measured":
          context = event;
          break;
        case "context:compacted":
          if (context !== null) context = { ...context, tokens: event.tokensAfter };
          break;
        default:
      }
    },
    read: (now) => ({
      model,
      contextTokens: context?.tokens ?? null,
      maxContextTokens: context?.maxTokens ?? null,
      cost,
      cachedPercent: usage.cacheReadTokens === 0 ? null : percentOf(usage.cacheReadTokens, usage.inputTokens),
      mode: options.mode(),
      elapsedMs: startedAt === null ? null : now - startedAt,
    }),
  };
}
