import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestModel } from "../../models/support/open-test-model.ts";
import { wireEvents } from "../../models/support/wire-replies.ts";
import { type Answer, refuse, serveWire, stream } from "../../models/support/wire-server.ts";
import { openTestAgent } from "../../support/agent.ts";
import { createSkippingClock, skipRetryDelays } from "../../support/skipping-clock.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const faults: readonly (readonly [string, Answer, number, RegExp])[] = [
  ["what nobody can read", stream("data: {not json\n\n"), 3, /can't be understood: .*\. \(3 attempts\)$/],
  ["a document", refuse(200, "hello"), 1, /a document instead of a reply: hello; check the base URL\.$/],
  [
    "a redirect",
    refuse(307, "", { location: "http://127.0.0.1:9/" }),
    1,
    /to http:\/\/127\.0\.0\.1:9\/, which is not followed/,
  ],
  [
    "a demand to wait for days",
    refuse(429, { error: { message: "slow" } }, { "retry-after": "500000" }),
    1,
    /^OpenAI asks to wait: too many requests or tokens: slow\. The server asked to wait 6 days \(maximum: 10 minutes\)\. Try again later\.$/,
  ],
  [
    "a demand to wait for ages",
    refuse(429, {}, { "retry-after": "9".repeat(400) }),
    1,
    /The server asked to wait more than a year \(maximum: 10 minutes\)\. Try again later\.$/,
  ],
];
for (const [what, fault, attempts, reason] of faults) {
  test(`a server that sends ${what} is asked ${attempts} times at most, and the session goes on [L1 L3]`, async (t) => {
    let answer = fault;
    const server = await serveWire(t, (request, response) => answer(request, response));
    const clock = createSkippingClock();
    const model = await openTestModel("openai", server.url);
    const { agent, eventsOf, messages } = await openTestAgent(t, { model, runtime: { clock } });
    skipRetryDelays(agent, clock);
    const end = await agent.send("Hello");
    assert.deepEqual([end.state, server.requests.length], ["failed", attempts], end.reason!);
    assert.match(end.reason!, reason);
    for (const event of eventsOf("model:retrying")) {
      assert.match(event.message, /\.$/, "what follows begins a new sentence");
      assert.equal(event.maxAttempts, attempts);
    }
    answer = stream(wireEvents.openai({ text: ["Back."] }).join(""));
    assert.equal((await agent.send("And now?")).text, "Back.");
    assertValidConversation(messages());
  });
}

const levels = 200_000;
const nested = `${"[".repeat(levels)}${"]".repeat(levels)}`;
const calls = [
  ["read", `{"file_path":${nested}}`],
  ["call_tool", `{"name":"read","input":{"file_path":${nested}}}`],
] as const;
for (const protocol of ["anthropic", "openai"] as const) {
  for (const [tool, inputText] of calls) {
    test(`over ${protocol} a call of ${tool} with arguments nested beyond reason spoils nothing [L1 L3]`, async (t) => {
      const replies = [
        { calls: [{ id: "c1", name: tool, arguments: [inputText] }] },
        { text: ["I see."] },
        { text: ["Still here."] },
      ];
      const server = await serveWire(t, (request, response) =>
        stream(wireEvents[protocol](replies[server.requests.length - 1]!).join(""))(request, response),
      );
      const model = await openTestModel(protocol, server.url);
      const { agent, messages, eventsOf } = await openTestAgent(t, { model });
      const end = await agent.send("Go.");
      assert.deepEqual([end.state, end.text], ["answered", "I see."], end.reason ?? "");
      assert.equal((await agent.send("And now?")).text, "Still here.");
      assert.equal(server.requests.length, 3);
      assert.deepEqual(eventsOf("notice:told"), []);
      assertValidConversation(messages());
    });
  }
}
