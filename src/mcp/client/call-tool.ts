import type { Clock } from "../../core/clock.ts";
import type { ToolContext, ToolResult } from "../../core/tool.ts";
import { quoteText } from "../../guard/terminal-text/quote-text.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import { elicit } from "./elicit.ts";
import { asFields, asText, type Fields, McpProblem } from "./mcp-json-rpc.ts";
import type { CallUnderWay, Link } from "./open-server-link.ts";
import type { PendingAnswer } from "./server-connection.ts";

export interface LinkCall {
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly context: ToolContext;
  readonly clock: Clock;
  /** How long a server may take to answer a cancelled call before it counts as ignored. */
  readonly cancelMs: number;
  /** Nothing new goes over this link; it ends with its last call. */
  readonly retire: () => void;
}

/** As often a server of 2026-07-28 may ask back within one call. */
const mostRounds = 10;

/** One `tools/call`. Rejects with an McpProblem when there is no result; a cancelled call returns once it is known what became of it. */
export async function callTool(link: Link, call: LinkCall): Promise<ToolResult> {
  const { context, server } = call;
  if (link.channel.process) context.sandboxed(link.channel.process.sandbox);
  const underWay: CallUnderWay = { ask: context.ask };
  link.calls.add(underWay);
  try {
    let params: Fields = { name: call.tool, arguments: call.input };
    for (let round = 0; round < mostRounds; round += 1) {
      const result = await askOnce(link, params, { ...call, underWay });
      if (result === "cancelled") return { ok: false, error: "The call was cancelled.", errorType: "cancelled" };
      const kind = asText(result["resultType"]) ?? "complete";
      if (kind === "complete") return toToolResult(result);
      if (kind !== "input_required") {
        throw new McpProblem(
          "protocol",
          `answered with a result of the kind "${quoteText(kind, 40)}", which is not known here.`,
        );
      }
      params = { ...params, ...(await answerRequests(result, { server, ask: context.ask })) };
    }
    throw new McpProblem("protocol", `asked back more than ${mostRounds} times within one call.`);
  } finally {
    link.calls.delete(underWay);
  }
}

async function askOnce(
  link: Link,
  params: Fields,
  call: LinkCall & { readonly underWay: CallUnderWay },
): Promise<Fields | "cancelled"> {
  const { signal, progress } = call.context;
  const pending = link.connection.ask("tools/call", params, { onProgress: (update) => progress(toProgress(update)) });
  call.underWay.requestId = pending.id;
  const aborted = Promise.withResolvers<"cancelled">();
  const onAbort = (): void => aborted.resolve("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  pending.answer.catch(() => undefined);
  try {
    const first = await Promise.race([pending.answer, aborted.promise]);
    if (first === "cancelled") await makeSureOfEnd(link, pending, call);
    return first;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * A server that answers has ended its work. One that does not may have, as the protocol allows it to fall silent: but nobody can
 * tell, so its process is ended, or is told as a survivor while it still works for other calls.
 */
async function makeSureOfEnd(link: Link, pending: PendingAnswer, call: LinkCall): Promise<void> {
  const { context, clock, cancelMs } = call;
  pending.cancel("The call was cancelled.");
  if (await settlesWithin(clock, pending.answer, cancelMs)) return;
  pending.forget();
  const { process } = link.channel;
  if (process === null) return context.stopped({ proof: "none", killed: [], survivors: [] });
  call.retire();
  if (link.calls.size > 1) {
    const { pid, command } = process;
    return context.stopped({ proof: "none", killed: [], survivors: [{ pid, command }] });
  }
  const report = await link.channel.stop();
  if (report) context.stopped(report);
}

function toProgress(update: Fields): { message?: string; done?: number; total?: number } {
  const { message, progress, total } = update;
  return {
    ...(typeof message === "string" ? { message: quoteText(message, 500) } : {}),
    ...(typeof progress === "number" ? { done: progress } : {}),
    ...(typeof total === "number" ? { total } : {}),
  };
}

/** What 2026-07-28 has instead of requests from the server: the call is sent again, with the answers. */
async function answerRequests(result: Fields, asker: Parameters<typeof elicit>[1]): Promise<Fields> {
  const answers: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(asFields(result["inputRequests"]) ?? {})) {
    const { method, params } = asFields(value) ?? {};
    if (method !== "elicitation/create") {
      throw new McpProblem("refused", `needs "${quoteText(String(method), 60)}", which is not offered here.`);
    }
    answers[key] = await elicit(asFields(params) ?? {}, asker);
  }
  const { requestState } = result;
  return { inputResponses: answers, ...(requestState === undefined ? {} : { requestState }) };
}

/** What a tool of a server returned, as any tool returns it. Pictures and sounds are described, not shown. */
function toToolResult(result: Fields): ToolResult {
  const content: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const data = result["structuredContent"];
  const parts = content.map((part) => describePart(asFields(part) ?? {}));
  // Servers repeat structured content as text for older clients; where one does not, the model has to see it all the same.
  if (parts.length === 0 && data !== undefined) parts.push(JSON.stringify(data));
  const output = parts.join("\n");
  const withData = data === undefined ? {} : { data };
  if (result["isError"] !== true) return { ok: true, output, ...withData };
  return {
    ok: false,
    error: output.trim() || "The tool reported an error without a text.",
    errorType: "tool_error",
    ...withData,
  };
}

function describePart(part: Fields): string {
  switch (part["type"]) {
    case "text":
      return asText(part["text"]) ?? "";
    case "image":
    case "audio":
      return `[${part["type"]}: ${asText(part["mimeType"]) ?? "unknown type"}, ${sizeOf(part["data"])}]`;
    case "resource_link":
      return `[resource: ${[part["uri"], part["title"] ?? part["name"], part["description"]].filter(isSaid).join(", ")}]`;
    case "resource":
      return describeResource(asFields(part["resource"]) ?? {});
    default:
      return `[content of a kind that is not known here: ${asText(part["type"]) ?? "without a name"}]`;
  }
}

function describeResource(resource: Fields): string {
  const uri = asText(resource["uri"]) ?? "without an address";
  const text = asText(resource["text"]);
  if (text !== undefined) return `[resource: ${uri}]\n${text}`;
  return `[resource: ${uri}, ${asText(resource["mimeType"]) ?? "unknown type"}, ${sizeOf(resource["blob"])}]`;
}

/** Of what base64 stands for. */
function sizeOf(base64: unknown): string {
  const bytes = Math.floor((asText(base64)?.length ?? 0) * 0.75);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} kB`;
}

function isSaid(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
