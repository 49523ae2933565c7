/** A reply as a test tells it; each protocol writes it in its own way. */
export interface WireReply {
  readonly thinking?: string;
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: readonly string[] }[];
  readonly stop?: "end" | "calls" | "length";
}

export type Protocol = "anthropic" | "openai" | "google";
export const protocols: readonly Protocol[] = ["anthropic", "openai", "google"];

/** The events of a reply, each as the bytes that go over the wire. 100 tokens in, 40 of them from the cache; 20 out. */
export const wireEvents: Readonly<Record<Protocol, (reply: WireReply) => string[]>> = {
  anthropic: anthropicEvents,
  openai: openaiEvents,
  google: googleEvents,
};

function anthropicEvents({ thinking, text = [], calls = [], stop }: WireReply): string[] {
  const usage = { input_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage,
  };
  const events: object[] = [{ type: "message_start", message }, { type: "ping" }];
  let index = 0;
  const block = (content_block: object, deltas: readonly object[]): void => {
    events.push({ type: "content_block_start", index, content_block });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index: index++ });
  };
  if (thinking !== undefined) {
    const signature = { type: "signature_delta", signature: "signed" };
    block({ type: "thinking", thinking: "", signature: "" }, [{ type: "thinking_delta", thinking }, signature]);
  }
  if (text.length > 0) {
    const deltas = text.map((each) => ({ type: "text_delta", text: each }));
    block({ type: "text", text: "" }, deltas);
  }
  for (const call of calls) {
    const deltas = call.arguments.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    block({ type: "tool_use", id: call.id, name: call.name, input: {} }, deltas);
  }
  const reasons = { end: "end_turn", calls: "tool_use", length: "max_tokens" };
  const stop_reason = reasons[stop ?? (calls.length > 0 ? "calls" : "end")];
  events.push({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  events.push({ type: "message_stop" });
  return events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function openaiEvents({ thinking, text = [], calls = [], stop }: WireReply): string[] {
  const deltas: object[] = [{ role: "assistant", content: "" }];
  if (thinking !== undefined) deltas.push({ reasoning_content: thinking });
  for (const content of text) deltas.push({ content });
  for (const [index, call] of calls.entries()) {
    const named = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    deltas.push({ tool_calls: [named] });
    for (const each of call.arguments) deltas.push({ tool_calls: [{ index, function: { arguments: each } }] });
  }
  const reasons = { end: "stop", calls: "tool_calls", length: "length" };
  const finish_reason = reasons[stop ?? (calls.length > 0 ? "calls" : "end")];
  const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } };
  const base = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "m" };
  const chunks = [
    ...deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...base, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...base, choices: [], usage },
  ];
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"];
}

function googleEvents({ thinking, text = [], calls = [], stop }: WireReply): string[] {
  const parts: object[] = [];
  if (thinking !== undefined) parts.push({ text: thinking, thought: true });
  for (const each of text) parts.push({ text: each });
  for (const call of calls) {
    const args: unknown = JSON.parse(call.arguments.join("") || "{}");
    parts.push({ functionCall: { id: call.id, name: call.name, args }, thoughtSignature: `signed-${call.id}` });
  }
  const usageMetadata = { promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 20 };
  const chunks: object[] = parts.map((part) => ({ candidates: [{ content: { role: "model", parts: [part] } }] }));
  const finishReason = stop === "length" ? "MAX_TOKENS" : "STOP";
  chunks.push({ candidates: [{ content: { role: "model", parts: [] }, finishReason }], usageMetadata });
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
}
