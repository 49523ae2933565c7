import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { ModelFailure } from "../../src/core/model.ts";
import { endOf, openTestModel, requestOf } from "./support/open-test-model.ts";
import { type Protocol, protocols, wireEvents } from "./support/wire-replies.ts";
import { type Answer, refuse, serveWire, stream } from "./support/wire-server.ts";

type Context = Parameters<typeof serveWire>[0];

async function failWith(t: Context, protocol: Protocol, answer: Answer): Promise<ModelFailure> {
  const server = await serveWire(t, answer);
  const end = await endOf((await openTestModel(protocol, server.url)).stream(requestOf()));
  assert.ok(end.type === "failed", JSON.stringify(end).slice(0, 500));
  assert.equal(server.requests.length, 1, "nothing is sent twice");
  const { message } = end.failure;
  assert.ok(message.length < 500 && /[.?!…]$/.test(message) && !message.includes("\n"), message);
  return end.failure;
}

/** Never ends by itself; gives how much of it was taken until the connection was closed. */
function endless(head: (response: ServerResponse) => void, piece: string) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const answer: Answer = (_, response) => {
    response.once("close", resolve);
    head(response);
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
  return { answer, closed };
}

for (const protocol of protocols) {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`over ${protocol} a redirect with ${status} is not followed, and is one failure [L3]`, async (t) => {
      const thief = await serveWire(t, stream(wireEvents[protocol]({ text: ["mine now"] }).join("")));
      const location = `http://person:word@127.0.0.1:${thief.port}/steal?q=1`;
      const failure = await failWith(t, protocol, (_, response) => void response.writeHead(status, { location }).end());
      assert.deepEqual([failure.kind, failure.status], ["rejected", status]);
      assert.ok(failure.message.includes(`redirect (status ${status}) to http://127.0.0.1:${thief.port}/steal, `));
      assert.equal(thief.requests.length, 0, "neither the key nor the conversation went there");
    });
  }
}

test("a redirect to nowhere is one sentence too [L3]", async (t) => {
  for (const headers of [{}, { location: "http://[" }]) {
    const failure = await failWith(t, "openai", (_, response) => void response.writeHead(302, headers).end());
    assert.match(failure.message, /to no address that could be read, which is not followed/);
  }
});

const documents: readonly (readonly [string, Answer, RegExp])[] = [
  ["no content", (_, response) => void response.writeHead(204).end(), /answered with nothing \(status 204\) instead/],
  ["an empty text", refuse(200, ""), /answered with nothing \(status 200\) instead of a reply; check the base URL\.$/],
  ["a text", refuse(200, "hello."), /answered with a document instead of a reply: hello; check the base URL\.$/],
  [
    "a JSON document",
    refuse(200, { choices: [] }),
    /a document instead of a reply; check the base URL, and that it can stream\.$/,
  ],
  [
    "a JSON document with a message",
    refuse(200, { message: "No such path." }),
    /instead of a reply: No such path; check/,
  ],
];
for (const [what, answer, words] of documents) {
  test(`${what} instead of a reply is one sentence, and not asked for again [L3]`, async (t) => {
    for (const protocol of protocols) {
      const failure = await failWith(t, protocol, answer);
      assert.equal(failure.kind, "rejected", failure.message);
      assert.match(failure.message, words);
    }
  });
}

test("a stream of events that is called a plain text, or nothing at all, is read [L3]", async (t) => {
  const bytes = Buffer.from(wireEvents.openai({ text: ["fine"] }).join(""));
  for (const headers of [{ "content-type": "text/plain" }, {}]) {
    const server = await serveWire(t, (_, response) => {
      response.writeHead(200, headers);
      response.write(bytes.subarray(0, 3), () => response.end(bytes.subarray(3)));
    });
    const end = await endOf((await openTestModel("openai", server.url)).stream(requestOf()));
    assert.deepEqual(end.type === "finished" && end.parts, [{ type: "text", text: "fine" }]);
  }
});

const head = (status: number, contentType: string) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": contentType });
};
const long = "x".repeat(100_000);
const openaiPiece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: long } }] })}\n\n`;
const endlessAnswers = [
  ["an error", endless(head(400, "application/json"), long), /did not take the request \(status 400\)/],
  ["a web page", endless(head(200, "text/html"), `<p>${long}`), /answered with a document instead of a reply; check/],
  ["a plain text of spaces", endless(head(200, "text/plain"), " ".repeat(1000)), /answered with nothing/],
  [
    "a line",
    endless(head(200, "text/event-stream"), long),
    /sent a line of more than 16 MB, so the reply was given up/,
  ],
  ["a stream of comments", endless(head(200, "text/event-stream"), `:${long}\n`), /sent more than 128 MB, so/],
  ["a text", endless(head(200, "text/event-stream"), openaiPiece), /sent more than 16 million characters, so/],
] as const;
for (const [what, { answer, closed }, words] of endlessAnswers) {
  test(`${what} without an end is given up, once, and its connection closed [L3]`, async (t) => {
    const failure = await failWith(t, "openai", answer);
    assert.equal(failure.kind, "rejected", failure.message);
    assert.match(failure.message, words);
    await closed;
  });
}

test("of an error that is too long to be read whole the status stays [L3]", async (t) => {
  const failure = await failWith(t, "anthropic", refuse(429, { error: { message: "m".repeat(1_000_000) } }));
  assert.deepEqual([failure.kind, failure.status], ["rate_limit", 429]);
});

const start = { id: "m", type: "message", role: "assistant", model: "x", content: [] };
const anthropicStart = (usage: object) =>
  `data: ${JSON.stringify({ type: "message_start", message: { ...start, ...usage } })}\n\n`;
const call = (args: unknown) => ({ index: 0, id: "x", type: "function", function: { name: "first", arguments: args } });
const openaiCall = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call({ path: "the context window" })] } }] })}\n\n`;
const deep = `{"path":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
const deepCall = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"first","args":${deep}}}]}}]}\n\n`;
const form = /can't be understood: a part of it does not have the form of its protocol; /;
const garbled: readonly (readonly [string, Protocol, string, RegExp])[] = [
  ["no usage", "anthropic", anthropicStart({}), form],
  ["usage of another type", "anthropic", anthropicStart({ usage: { input_tokens: "12", output_tokens: null } }), form],
  ["arguments as an object", "openai", openaiCall, form],
  [
    "arguments that are nested too deeply to be written",
    "google",
    deepCall,
    /can't be understood: it is nested too deeply; /,
  ],
  ["a line that is no JSON", "openai", "data: {not json\n\n", /can't be understood: a part of it is no JSON; /],
  ["a line that is no JSON", "anthropic", "data: {not json\n\n", /can't be understood: /],
];
for (const [what, protocol, text, words] of garbled) {
  test(`over ${protocol} ${what} is told without a dump, and tried three times at most [L3]`, async (t) => {
    const failure = await failWith(t, protocol, stream(text));
    assert.deepEqual([failure.kind, failure.maxAttempts], ["cut", 3], failure.message);
    assert.match(failure.message, words);
    assert.doesNotMatch(failure.message, /[{}[\]]|Error|zod/);
  });
}

test("a reply that can't be unpacked is told so [L3]", async (t) => {
  const failure = await failWith(t, "openai", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end("not gzip");
  });
  assert.deepEqual([failure.kind, failure.maxAttempts], ["cut", 3]);
  assert.match(failure.message, /^The reply of OpenAI can't be understood: it can't be unpacked; /);
});

test("a connection that breaks is told so, and may be tried as often as anything [L3]", async (t) => {
  const failure = await failWith(t, "anthropic", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(wireEvents.anthropic({ text: ["half"] })[0], () => response.socket?.destroy());
  });
  assert.deepEqual([failure.kind, failure.maxAttempts], ["cut", undefined]);
  assert.match(failure.message, /^The reply of Anthropic was cut off: the connection broke \([A-Z_]+\)\.$/);
});

const anthropicUsage = (input_tokens: number, output_tokens: number, cache_read_input_tokens = 0) =>
  wireEvents
    .anthropic({ text: ["hi"] })
    .map((event) =>
      event.replaceAll(
        /"usage":\{[^}]*\}/g,
        `"usage":${JSON.stringify({ input_tokens, output_tokens, cache_read_input_tokens })}`,
      ),
    )
    .join("");
const openaiUsage = (prompt_tokens: number, completion_tokens: number, cached_tokens: number) =>
  wireEvents
    .openai({ text: ["hi"] })
    .map((event) =>
      event.includes("prompt_tokens")
        ? `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } } })}\n\n`
        : event,
    )
    .join("");
const usages = [
  ["anthropic", anthropicUsage(1e15, 1e300), [1e9, 1e9, 0]],
  ["anthropic", anthropicUsage(-100_000, -500_000), [0, 0, 0]],
  ["openai", openaiUsage(-3, -2, 1e9), [0, 0, 0]],
  ["openai", openaiUsage(100, 1.4, 250), [100, 1, 100]],
] as const;
for (const [protocol, text, expected] of usages) {
  test(`over ${protocol} a server that counts wildly gives figures that can be true: ${expected.join(", ")} [L3]`, async (t) => {
    const server = await serveWire(t, stream(text));
    const end = await endOf((await openTestModel(protocol, server.url)).stream(requestOf()));
    assert.ok(end.type === "finished", JSON.stringify(end));
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = end.usage;
    assert.deepEqual([inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens], [...expected, 0]);
  });
}

for (const protocol of protocols) {
  test(`over ${protocol} arguments that are nested beyond reason go back as a text [L3]`, async (t) => {
    const server = await serveWire(t, stream(wireEvents[protocol]({ text: ["fine"] }).join("")));
    const model = await openTestModel(protocol, server.url);
    const of = (levels: number): string => `{"path":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    for (const [levels, isText] of [
      [99, false],
      [101, true],
      [200_000, true],
    ] as const) {
      const messages = [
        ...requestOf().messages,
        {
          role: "assistant",
          parts: [{ type: "call", callId: "c1", tool: "first", inputText: of(levels) }],
        } as const,
        { role: "tool", results: [{ callId: "c1", tool: "first", text: "no", isError: true }] } as const,
      ];
      const end = await endOf(model.stream(requestOf({ messages })));
      assert.equal(end.type, "finished", `${levels}: ${JSON.stringify(end)}`);
      assert.equal(JSON.stringify(server.requests.at(-1)!.body).includes("malformed_arguments"), isText, `${levels}`);
    }
  });
}
