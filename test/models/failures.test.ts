import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import type { ModelFailure } from "../../src/core/model.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { endOf, openTestModel, requestOf, secretKey } from "./support/open-test-model.ts";
import type { Protocol } from "./support/wire-replies.ts";
import { refuse, serveWire } from "./support/wire-server.ts";

type Context = Parameters<typeof serveWire>[0];

async function failWith(t: Context, protocol: Protocol, answer: ReturnType<typeof refuse>): Promise<ModelFailure> {
  const server = await serveWire(t, answer);
  const end = await endOf((await openTestModel(protocol, server.url)).stream(requestOf()));
  assert.ok(end.type === "failed", JSON.stringify(end));
  assert.equal(server.requests.length, 1, "nothing is sent twice");
  assert.doesNotMatch(end.failure.message, /sk-very-secret|\n/);
  return end.failure;
}

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openai = (message: string, code: string | null = null) => ({ error: { message, type: "t", param: null, code } });
const google = (status: string, message: string, details: unknown[] = []) => ({
  error: { code: 0, message, status, details },
});

const cases: readonly (readonly [Protocol, number, unknown, ModelFailure["kind"], RegExp])[] = [
  ["anthropic", 401, anthropic("authentication_error", `invalid x-api-key ${secretKey}`), "key", /ANTHROPIC_API_KEY/],
  ["openai", 401, openai(`Incorrect API key provided: ${secretKey}`, "invalid_api_key"), "key", /OPENAI_API_KEY/],
  [
    "google",
    400,
    google("INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]),
    "key",
    /GEMINI_API_KEY/,
  ],
  ["anthropic", 403, anthropic("permission_error", "no"), "key", /ANTHROPIC_API_KEY/],
  ["anthropic", 404, anthropic("not_found_error", "model: claude-x"), "unknown_model", /claude-sonnet-4-5/],
  ["openai", 404, openai("The model `x` does not exist", "model_not_found"), "unknown_model", /"gpt-4\.1"/],
  ["openai", 400, openai("x is not a valid model ID"), "unknown_model", /"gpt-4\.1"/],
  ["google", 404, google("NOT_FOUND", "models/x is not found"), "unknown_model", /"gemini-2\.5-flash"/],
  [
    "anthropic",
    400,
    anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "window",
    /210000/,
  ],
  ["anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size"), "window", /longer than/],
  [
    "openai",
    400,
    openai("This model's maximum context length is 128000 tokens", "context_length_exceeded"),
    "window",
    /128000/,
  ],
  [
    "google",
    400,
    google("INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed"),
    "window",
    /1200000/,
  ],
  ["anthropic", 429, anthropic("rate_limit_error", "slow down"), "rate_limit", /slow down/],
  ["openai", 429, openai("You exceeded your current quota", "insufficient_quota"), "rejected", /quota/],
  [
    "google",
    429,
    google("RESOURCE_EXHAUSTED", "You exceeded your current quota", [{ retryDelay: "7s" }]),
    "rate_limit",
    /quota/,
  ],
  ["anthropic", 529, anthropic("overloaded_error", "Overloaded"), "overloaded", /Anthropic is overloaded/],
  ["google", 503, google("UNAVAILABLE", "busy"), "overloaded", /busy/],
  ["openai", 500, openai("oops"), "server", /status 500/],
  ["openai", 502, "<html>Bad gateway</html>", "server", /status 502/],
  [
    "anthropic",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low"),
    "rejected",
    /credit balance/,
  ],
  ["openai", 422, openai("bad field"), "rejected", /bad field/],
];
for (const [protocol, status, body, kind, words] of cases) {
  test(`over ${protocol} status ${status} with ${JSON.stringify(body).slice(0, 60)}… is ${kind} [L3]`, async (t) => {
    const failure = await failWith(t, protocol, refuse(status, body));
    assert.equal(failure.kind, kind, failure.message);
    assert.match(failure.message, words);
    assert.equal(failure.status, status);
  });
}

const now = Date.UTC(2026, 0, 1);
const waits: readonly (readonly [string, Record<string, string>, unknown, number | null])[] = [
  ["retry-after in seconds", { "retry-after": "12" }, {}, 12_000],
  ["retry-after-ms first", { "retry-after": "12", "retry-after-ms": "1500" }, {}, 1500],
  ["retry-after as a date", { "retry-after": new Date(now + 30_000).toUTCString() }, {}, 30_000],
  ["a date that has passed", { "retry-after": new Date(now - 30_000).toUTCString() }, {}, 0],
  [
    "resets as durations, of those used up",
    {
      "x-ratelimit-reset-requests": "6m0s",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-tokens": "2h",
      "x-ratelimit-remaining-tokens": "9",
    },
    {},
    360_000,
  ],
  ["a reset in milliseconds", { "x-ratelimit-reset-tokens": "20ms" }, {}, 20],
  ["a reset as a time in milliseconds", { "x-ratelimit-reset": String(now + 5000) }, {}, 5000],
  ["a reset as a time in seconds", { "x-ratelimit-reset": String(now / 1000 + 5) }, {}, 5000],
  ["a reset as a date", { "anthropic-ratelimit-requests-reset": new Date(now + 9000).toISOString() }, {}, 9000],
  ["Google's RetryInfo", {}, google("RESOURCE_EXHAUSTED", "wait", [{ retryDelay: "34.5s" }]), 34_500],
  ["a sentence", {}, openai("Rate limit reached. Please try again in 1.2s."), 1200],
  ["nothing", {}, openai("wait"), null],
  ["junk", { "retry-after": "soon" }, openai("wait"), null],
];
for (const [form, headers, body, expected] of waits) {
  test(`the server's delay is read from ${form} [L3]`, async (t) => {
    const server = await serveWire(t, refuse(429, body, headers));
    const clock = { ...createManualClock(), now: () => now };
    const end = await endOf((await openTestModel("openai", server.url, { clock })).stream(requestOf()));
    assert.ok(end.type === "failed");
    assert.deepEqual([end.failure.kind, end.failure.retryAfterMs], ["rate_limit", expected]);
  });
}

test("an address where nothing listens is unreachable, by its host [L3]", async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
  const end = await endOf((await openTestModel("anthropic", `http://127.0.0.1:${port}`)).stream(requestOf()));
  assert.ok(end.type === "failed");
  assert.equal(end.failure.kind, "unreachable");
  assert.match(
    end.failure.message,
    new RegExp(`^Anthropic can't be reached at 127\\.0\\.0\\.1:${port}: nothing listens there`),
  );
});

test("a host that does not exist is unreachable [L3]", async () => {
  const end = await endOf((await openTestModel("openai", "http://no-such-host.invalid")).stream(requestOf()));
  assert.ok(end.type === "failed");
  assert.equal(end.failure.kind, "unreachable");
  assert.match(end.failure.message, /no-such-host\.invalid/);
});

test("a web page instead of a reply says to check the base URL [L3]", async (t) => {
  const failure = await failWith(t, "openai", (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html>Please log in</html>");
  });
  assert.equal(failure.kind, "rejected");
  assert.match(failure.message, /^127\.0\.0\.1:\d+ answered with a document instead of a reply; check the base URL\.$/);
});
