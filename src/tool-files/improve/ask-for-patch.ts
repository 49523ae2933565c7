import type { Clock } from "../../core/clock.ts";
import { type Message, textOfParts } from "../../core/message.ts";
import { addUsage, mayRetry, type Model, type ModelFailure, noUsage, type Usage } from "../../core/model.ts";
import { improveSystem } from "./improve-prompt.ts";

/** What a model proposed; or in one sentence, for the model too, why it can't be used. */
export type Proposal =
  | { readonly ok: true; /** The whole new file. */ readonly content: string; readonly summary: string }
  | { readonly ok: false; readonly reason: string };

/** A tool file may not be larger. */
const mostProposalBytes = 1024 * 1024;

/** The one fenced block of a reply, and the line that says what was changed. */
export function readProposal(reply: string): Proposal {
  const lines = reply.replaceAll("\r\n", "\n").split("\n");
  const blocks: string[] = [];
  const prose: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/.exec(lines[at]!)?.[1];
    if (fence === undefined) {
      prose.push(lines[at]!);
      continue;
    }
    const isEnd = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
    const end = lines.findIndex((line, index) => index > at && isEnd.test(line));
    if (end === -1) return refuse("The fenced block has no end: the reply was cut, or the closing line is missing.");
    blocks.push(`${lines.slice(at + 1, end).join("\n")}\n`);
    at = end;
  }
  const [content, ...more] = blocks;
  if (content === undefined) return refuse("There is no fenced block with the new file in the reply.");
  if (more.length > 0)
    return refuse(`There are ${blocks.length} fenced blocks in the reply; exactly one was asked for.`);
  if (content.trim() === "") return refuse("The fenced block is empty.");
  if (Buffer.byteLength(content) > mostProposalBytes) return refuse("The new file is larger than 1 MB.");
  const summary = prose.map((line) => line.trim()).find((line) => line !== "") ?? "";
  return { ok: true, content, summary: summary.slice(0, 300) };
}

function refuse(reason: string): Proposal {
  return { ok: false, reason };
}

/** A conversation with the model about one file. It has no tools: what it says is all that it can do. */
export interface Proposer {
  readonly usage: Usage;
  /** Says this to the model, after all that was said before. */
  ask(request: string): Promise<Proposal | { readonly ok: "no_reply"; readonly reason: string }>;
}

export function openProposer(options: {
  readonly model: Model;
  readonly clock: Clock;
  readonly conversationId: string;
  readonly signal: AbortSignal;
}): Proposer {
  const { model, clock, signal } = options;
  const messages: Message[] = [];
  let usage = noUsage;

  async function stream(): Promise<Reply> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const request = {
      system: improveSystem,
      messages,
      tools: [],
      toolChoice: "none",
      maxOutputTokens: null,
      conversationId: options.conversationId,
      signal: stop.signal,
    } as const;
    let characters = 0;
    try {
      for await (const event of model.stream(request)) {
        if (event.type === "text") characters += event.text.length;
        if (characters > mostCharacters) {
          stop.abort(new Error("The reply is too long."));
          return { state: "too_long" };
        }
        if (event.type === "failed") return { state: "failed", failure: event.failure };
        if (event.type !== "finished") continue;
        usage = addUsage(usage, event.usage);
        return { state: "said", text: textOfParts(event.parts) };
      }
      const message = "The reply of the model ended without an end.";
      return { state: "failed", failure: { kind: "cut", message, status: null, retryAfterMs: null } };
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async function reply(): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const said = await stream();
      if (said.state !== "failed" || signal.aborted) return said;
      const { failure } = said;
      if (!mayRetry(failure) || attempt >= Math.min(mostAttempts, failure.maxAttempts ?? mostAttempts)) return said;
      await wait(clock, Math.min(failure.retryAfterMs ?? 1000 * 2 ** attempt, longestWaitMs), signal);
    }
  }

  return {
    get usage() {
      return usage;
    },
    async ask(request) {
      messages.push({ role: "user", parts: [{ type: "text", text: request }] });
      const said = await reply();
      if (said.state === "failed") return { ok: "no_reply", reason: said.failure.message };
      const text = said.state === "said" ? said.text : "[a reply that was too long and was left out]";
      messages.push({ role: "assistant", parts: [{ type: "text", text }] });
      return said.state === "said" ? readProposal(text) : { ok: false, reason: tooLong };
    },
  };
}

type Reply =
  | { readonly state: "said"; readonly text: string }
  | { readonly state: "too_long" }
  | { readonly state: "failed"; readonly failure: ModelFailure };

const mostAttempts = 3;
const longestWaitMs = 30_000;
/** Room for a line of what was changed. */
const mostCharacters = mostProposalBytes + 64 * 1024;
const tooLong = "The reply is larger than 1 MB, and a tool file may not be.";

async function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  const cancel = clock.after(delayMs, resolve);
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  cancel();
  signal.removeEventListener("abort", onAbort);
}
