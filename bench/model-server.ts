// A model that plays reads: a process of its own, so that what it costs is not counted as the agent's. It speaks the
// Anthropic protocol, reads one plan from its parent, and tells it afterwards when which request came.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Turn by turn the files to read; then it answers. */
export interface Plan {
  readonly turns: readonly (readonly string[])[];
  /** Before each call but the first, and before the reply ends. */
  readonly pauseMs: number;
  /** Of the program that asks: its memory is looked at when a request comes. */
  readonly pid: number;
}

/** All times in milliseconds since the epoch. */
export interface ServedTurn {
  readonly arrivedAt: number;
  readonly endedAt: number;
  readonly memoryMegabytes: number;
  readonly requestBytes: number;
}

export interface Report {
  readonly turns: readonly ServedTurn[];
  readonly firstRequest: string;
}

const now = (): number => performance.timeOrigin + performance.now();
const { promise: planned, resolve: plan } = Promise.withResolvers<Plan>();
const turns: ServedTurn[] = [];
let firstRequest = "";

const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAt = now();
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const { turns: wanted, pauseMs, pid } = await planned;
  const turn = turns.length;
  if (turn === 0) firstRequest = body.toString();
  const missing = wanted[turn - 1]?.find((path) => !body.includes(`END OF ${path}`));
  const calls = missing === undefined ? (wanted[turn] ?? []) : [];
  const text = missing === undefined ? `Turn ${turn + 1}.` : `The content of ${missing} did not arrive.`;
  const memoryMegabytes = memoryOf(pid);
  await reply(response, { turn, text, calls, pauseMs, inputTokens: Math.round(body.length / 4) });
  turns.push({ arrivedAt, endedAt: now(), memoryMegabytes, requestBytes: body.length });
}

interface Reply {
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly string[];
  readonly pauseMs: number;
  readonly inputTokens: number;
}

async function reply(response: ServerResponse, { turn, text, calls, pauseMs, inputTokens }: Reply): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  const head = { id: `msg_${turn}`, type: "message", role: "assistant", model: "claude-sonnet-5", content: [], usage };
  send(response, { type: "message_start", message: head });
  sendBlock(response, 0, { type: "text", text: "" }, { type: "text_delta", text });
  for (const [index, path] of calls.entries()) {
    if (index > 0) await pause(pauseMs);
    const block = { type: "tool_use", id: `toolu_${turn}_${index}`, name: "read", input: {} };
    const delta = { type: "input_json_delta", partial_json: JSON.stringify({ file_path: path }) };
    sendBlock(response, index + 1, block, delta);
  }
  await pause(pauseMs);
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  send(response, { type: "message_delta", delta: stop, usage: { output_tokens: 20 } });
  send(response, { type: "message_stop" });
  response.end();
}

// oxlint-disable-next-line max-params
function sendBlock(response: ServerResponse, index: number, content_block: object, delta: object): void {
  send(response, { type: "content_block_start", index, content_block });
  send(response, { type: "content_block_delta", index, delta });
  send(response, { type: "content_block_stop", index });
}

function send(response: ServerResponse, event: { readonly type: string } & Record<string, unknown>): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}

/** What it holds of the machine's memory; 0 where that can't be looked up. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

process.on("message", (message: Plan | "report") => {
  if (message !== "report") return plan(message);
  process.send!({ turns, firstRequest } satisfies Report, () => process.exit(0));
});
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
