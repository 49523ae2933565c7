import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AssistantPart, Message } from "../../../src/core/message.ts";
import type { SessionEntry, SessionEntryBody } from "../../../src/core/session.ts";
import { toWire } from "../../../src/core/wire.ts";
import { createScriptedModel } from "../src/create-scripted-model.ts";
import { parseScript } from "../src/parse-script.ts";
import { serializeScript, toScript } from "../src/record.ts";
import type { Script } from "../src/script.ts";
import { count } from "../../../test/support/counts.ts";
import { eventsOf, requestOf, user } from "./request.ts";

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1 };

test("a recorded session is a short script that says the same", () => {
  const entries = session([
    { type: "user", parts: [{ type: "text", text: "hi" }] },
    reply([
      { type: "thinking", text: "Hm.", opaque: { provider: "anthropic", data: { signature: "x" } } },
      { type: "text", text: "I look." },
      call("call_1_1", `{"path":"a"}`),
      call("toolu_7", `{ "path": "b" }`),
    ]),
    { type: "results", results: [{ callId: "call_1_1", tool: "read", text: "A", isError: false }] },
    { ...reply([{ type: "text", text: "As {{last_result}} says" }]), stop: "length" },
  ]);
  const script = toScript(entries);
  const used = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cache_write_tokens: 1 };
  assert.deepEqual(JSON.parse(serializeScript(script)), {
    turns: [
      {
        thinking: "Hm.",
        text: "I look.",
        calls: [
          { tool: "read", input: { path: "a" } },
          { tool: "read", input_text: `{ "path": "b" }`, id: "toolu_7" },
        ],
        usage: used,
      },
      { text: "As \\{{last_result}} says", stop: "length", usage: used },
    ],
  });
});

test("the file of a session plays as it stands, also when its last line was cut in half", async () => {
  const branch = session([
    { type: "user", parts: [{ type: "text", text: "hi" }] },
    reply([{ type: "text", text: "one" }]),
    reply([{ type: "text", text: "two" }]),
  ]);
  const [root, prompt, one, two] = branch;
  // Somebody went back before "one" and said something else.
  const other: SessionEntry = { ...two!, ...reply([{ type: "text", text: "other" }]), id: "z", parentId: prompt!.id };
  const lines = [root, prompt, one, two, other].map((entry) => JSON.stringify(toWire(entry)));
  const turnsOf = (text: string) => parseScript(text, "a.jsonl").turns.map((turn) => (turn as { text: string }).text);
  assert.deepEqual(turnsOf(lines.slice(0, 4).join("\n")), ["one", "two"]);
  assert.deepEqual(turnsOf(`${lines.join("\n")}\n`), ["other"]);
  assert.deepEqual(turnsOf(`${lines.slice(0, 4).join("\n")}\n${lines[4]!.slice(0, 40)}`), ["one", "two"]);
  assert.throws(() => turnsOf([lines[0], lines[1]!.slice(0, 20), lines[2]].join("\n")), {
    code: "MODEL_INVALID",
    message: /^a\.jsonl is not a script of a model: line 2 of the session is not JSON/,
  });
});

test("recording a conversation, writing it down and playing it gives the same replies", async () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("{{last_result}}", "\\{{last_user}}", "{{result:1}} {{x}}", `{"__proto__": 1}`),
  );
  const part: fc.Arbitrary<AssistantPart> = fc.oneof(
    text.map((each) => ({ type: "text", text: each }) as const),
    text.map((each) => ({ type: "thinking", text: each }) as const),
    fc
      .tuple(
        fc.uuid(),
        fc.constantFrom("read", "mcp__x__y"),
        fc.oneof(json, text, fc.constant(`{"__proto__":{"a":1}}`)),
      )
      .map(([callId, tool, inputText]) => ({ type: "call", callId, tool, inputText }) as const),
  );
  const replies = fc.array(fc.array(part, { maxLength: 5 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(replies, async (recorded) => {
      const script = parseScript(serializeScript(toScript(session(recorded.map(reply)))), "recorded.json");
      assert.deepEqual(await playThrough(script, recorded.length), recorded);
    }),
    { numRuns: count({ quick: 60, full: 2000 }) },
  );
});

test("the same script is written with the same bytes and read back as it was", () => {
  const script: Script = {
    model: { contextTokens: 10, price: { cacheRead: 1 } },
    atEnd: "loop",
    withoutTools: "a",
    turns: [
      { text: "a", fail: { kind: "cut", retryAfterMs: 1, times: "always" }, expect: { toolResult: { isError: true } } },
      { parts: [{ tool: "t", input: { camelCase: { snake_case: 1 } }, pauseMs: 1 }, { pauseMs: 2 }], pieceMs: 0 },
    ],
  };
  const text = serializeScript(script);
  assert.deepEqual(parseScript(text, "a"), script);
  assert.equal(serializeScript(parseScript(text, "a")), text);
});

async function playThrough(script: Script, turns: number): Promise<AssistantPart[][]> {
  const model = createScriptedModel(script);
  const messages: Message[] = [user("go")];
  const said: AssistantPart[][] = [];
  for (let turn = 0; turn < turns; turn++) {
    const last = (await eventsOf(model, requestOf(messages))).at(-1);
    assert.ok(last?.type === "finished");
    assert.deepEqual(last.usage, usage);
    messages.push({ role: "assistant", parts: last.parts });
    said.push(last.parts.map((part) => (part.type === "thinking" ? { type: "thinking", text: part.text } : part)));
  }
  return said;
}

function session(bodies: readonly SessionEntryBody[]): SessionEntry[] {
  const first = { type: "session", sessionId: "ses_1", workdir: "/w", model: "a/b", version: "1" } as const;
  return [first, ...bodies].map((body, index) => {
    return { ...body, v: 1, id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}`, at: 1000 };
  });
}

function reply(parts: readonly AssistantPart[]): Extract<SessionEntryBody, { type: "assistant" }> {
  const stop = parts.some(({ type }) => type === "call") ? "calls" : "end";
  return { type: "assistant", parts, model: "a/b", stop, usage, cost: null };
}

function call(callId: string, inputText: string): AssistantPart {
  return { type: "call", callId, tool: "read", inputText };
}
