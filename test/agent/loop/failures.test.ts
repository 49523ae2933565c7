import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Script } from "../../../packages/testing/src/script.ts";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { openTestModel, secretKey } from "../../models/support/open-test-model.ts";
import { afterTest } from "../../support/after-test.ts";
import { openTestAgent, scriptedModel } from "../../support/agent.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { lane } from "../../support/require.ts";
import { isolatedEnvironment, openRuntime, until } from "../../support/runtime.ts";
import { createSkippingClock, skipRetryDelays } from "../../support/skipping-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { mountTmpfs, tmpfsAvailable } from "../../support/tmpfs.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const readA = { tool: "read", input: { file_path: "a.txt" } };

test("a server that says 429 for minutes is waited for as long as it asks [L3]", async (t) => {
  const clock = createManualClock();
  const { agent, eventsOf, requests, event } = await openTestAgent(t, {
    runtime: { clock },
    turns: [{ fail: { kind: "rate_limit", retryAfterMs: 90_000, times: 3 }, text: "At last." }],
  });
  const end = agent.send("Hello");
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { delayMs } = await event("model:retrying", (each) => each.attempt === attempt);
    assert.ok(delayMs >= 90_000 && delayMs <= 90_250, String(delayMs));
    clock.advance(89_999);
    assert.equal(requests.length, attempt, "not a moment before the server wants it");
    clock.advance(252);
    await until("the next request", () => requests.length > attempt);
  }
  assert.equal((await end).text, "At last.");
  assert.equal(eventsOf("model:retrying").length, 3);
});

test("without a word from the server the delays grow, and in the end the run says what happened [L3 L1]", async (t) => {
  const clock = createSkippingClock();
  const { agent, requests, messages } = await openTestAgent(t, {
    runtime: { clock },
    settings: { maxAttempts: 4 },
    turns: [{ fail: { kind: "overloaded", times: 4 }, text: "Better now." }],
  });
  const delays = skipRetryDelays(agent, clock);
  const end = await agent.send("Hello");
  assert.deepEqual(
    [end.state, end.failureKind, end.reason, requests.length],
    ["failed", "overloaded", "The script says that the model is overloaded. (4 attempts)", 4],
  );
  assert.equal(delays.length, 3);
  assert.ok(delays[0]! < 1300 && delays[1]! >= 1500 && delays[2]! >= 3000, delays.join(" "));
  assert.equal((await agent.send("And now?")).text, "Better now.");
  assert.deepEqual(
    messages().map(({ role }) => role),
    ["user", "assistant"],
  );
  assertValidConversation(messages());
});

for (const { what, fail, kind, reason } of [
  { what: "a wrong key", fail: { kind: "key" }, kind: "key", reason: /key/i },
  { what: "an unknown model", fail: { kind: "unknown_model" }, kind: "unknown_model", reason: /model/i },
  { what: "a request that is refused", fail: { kind: "rejected" }, kind: "rejected", reason: /request/i },
] as const) {
  test(`${what} is one sentence, the prompt is kept, and the session goes on later [L1 L3]`, async (t) => {
    for (const protocol of ["anthropic", "openai", "google"] as const) {
      const script: Script = { turns: [{ fail: { ...fail, times: 1 }, text: "Right." }] };
      const server = await serveScript(script);
      afterTest(t, () => server.close());
      const model = await openTestModel(protocol, server.url);
      const { agent, eventsOf, messages } = await openTestAgent(t, { model });
      const end = await agent.send("My words.");
      assert.deepEqual([end.state, end.failureKind, end.text], ["failed", kind, ""], `${protocol}: ${end.reason}`);
      assert.match(end.reason!, reason);
      assert.ok(!end.reason!.includes("\n") && !end.reason!.includes(secretKey), end.reason!);
      assert.deepEqual([eventsOf("run:ended").length, eventsOf("model:retrying").length], [1, 0]);
      assert.deepEqual(messages(), [{ role: "user", parts: [{ type: "text", text: "My words." }] }]);
      assert.equal((await agent.send("Again.")).text, "Right.");
      const seen = server.requests.at(-1)!.messages;
      assert.match(JSON.stringify(seen), /My words\..*Again\./);
    }
  });
}

test("a host that nobody answers at is one sentence after a few attempts [L1 L3]", async (t) => {
  const clock = createSkippingClock();
  const model = await openTestModel("anthropic", `http://127.0.0.1:${await freePort()}`);
  const { agent, messages } = await openTestAgent(t, { model, runtime: { clock } });
  skipRetryDelays(agent, clock);
  const end = await agent.send("Anybody there?");
  assert.deepEqual([end.state, end.failureKind], ["failed", "unreachable"]);
  assert.match(end.reason!, /127\.0\.0\.1.*\(4 attempts\)$/);
  assert.equal(messages().length, 1);
});

test("a model that throws or ends without an end does not break the run [L1]", async (t) => {
  const base = scriptedModel({});
  const broken = {
    ...base,
    stream: () => {
      throw new Error("no such luck");
    },
  };
  const { agent } = await openTestAgent(t, { model: broken });
  const end = await agent.send("Hello");
  assert.deepEqual([end.state, end.failureKind, end.reason], ["failed", "rejected", "Model error: no such luck"]);
  const silent = {
    ...base,
    async *stream() {
      await Promise.resolve();
      yield { type: "text", text: "I was" } as const;
    },
  };
  const cut = await openTestAgent(t, { model: silent, settings: { maxAttempts: 1 } });
  const said = await cut.agent.send("Hello");
  assert.deepEqual([said.state, said.failureKind], ["failed", "cut"]);
});

test("an empty prompt is refused and leaves nothing; a second prompt while one runs is refused too [L1]", async (t) => {
  const { agent, requests } = await openTestAgent(t, { turns: [{ text: "Yes.", delayMs: 1 }] });
  await assert.rejects(agent.send("  \n"), { code: "PROMPT_EMPTY" });
  await assert.rejects(agent.send([]), { code: "PROMPT_EMPTY" });
  assert.ok(agent.history.every(({ type }) => type !== "user"));
  assert.equal((await agent.compact()).state, "kept");
  assert.equal(await agent.undoCompaction(), false);
  const running = agent.send("One.");
  await assert.rejects(agent.send("Two."), { code: "AGENT_BUSY" });
  assert.equal((await running).text, "Yes.");
  assert.equal(requests.length, 1);
});

test("a session that another process has open is refused with who has it [L11]", async (t) => {
  const home = await temporaryFolder(t);
  const program = fileURLToPath(new URL("../../fixtures/agent/counts-to-twenty.ts", import.meta.url));
  const child = spawn(process.execPath, [program, home], {
    env: isolatedEnvironment(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  afterTest(t, () => Promise.resolve(child.kill("SIGKILL")));
  for await (const line of createInterface(child.stdout)) if (line === "turn:started") break;
  // However long the rest of this takes, it is not done by then.
  child.kill("SIGSTOP");
  const runtime = await openRuntime(t, { home, recover: false });
  const opening = (): Promise<unknown> => runtime.openAgent({ model: scriptedModel({}), session: "latest" });
  await assert.rejects(opening, { code: "SESSION_BUSY", message: new RegExp(`in use by process ${child.pid} `) });
  child.kill("SIGKILL");
  await once(child, "exit");
  const agent = await runtime.openAgent({
    model: scriptedModel({ script: { atEnd: "repeat_last" } }),
    session: "latest",
  });
  assert.equal((await agent.send("Go on.")).state, "answered");
  await agent.close();
});

test("a session file that was cut in half opens with a notice and goes on [L11]", async (t) => {
  const home = await temporaryFolder(t);
  const turns: Script["turns"] = [{ calls: [readA] }, "It says alpha.", "Again?"];
  const first = await openTestAgent(t, { home, files: { "a.txt": "alpha\n" }, turns });
  await first.agent.send("Read it.");
  const { sessionId } = first.agent;
  await first.agent.close();
  const path = join(home, ".deckhand/sessions", `${sessionId}.jsonl`);
  const whole = readFileSync(path);
  // In the middle of the line with the results, which is no whole letter behind its quote.
  truncateSync(path, whole.indexOf('"results"') + 40);
  await first.runtime.close();

  const again = await openTestAgent(t, { home, turns, session: sessionId });
  assert.equal(again.agent.notices.length, 1);
  assert.match(again.agent.notices[0]!, /last line was cut short/);
  assert.deepEqual(
    again.agent.reconciled.map(({ call, outcome }) => [call.tool, outcome]),
    [["read", "finished"]],
  );
  assertValidConversation(again.messages());
  const end = await again.agent.send("Go on.");
  assert.deepEqual([end.state, end.text], ["answered", "It says alpha."]);
  assertValidConversation(again.requests[0]!.messages);
});

test(
  "a full disk ends the run with one sentence, and when there is room again it goes on [L1 L11]",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const home = mountTmpfs(t, "4m");
    const { agent, messages, eventsOf, requests } = await openTestAgent(t, { home, turns: ["Hello.", "Back."] });
    assert.equal((await agent.send("Hello")).state, "answered");
    const filler = join(home, "filler");
    assert.throws(() => writeFileSync(filler, Buffer.alloc(8_000_000)), { code: "ENOSPC" });
    const end = await agent.send("These words find no room. ".repeat(1000));
    assert.deepEqual([end.state, end.failureKind, requests.length], ["failed", null, 1]);
    assert.match(end.reason!, /^The disk that holds the session .* is full, so nothing was written: free some space/);
    assert.equal(eventsOf("run:ended").length, 2);
    rmSync(filler);
    assert.equal((await agent.send("And now?")).text, "Back.");
    assertValidConversation(messages());
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a session that was killed before its first entry is not in the way of the one before it [L11]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await openTestAgent(t, { home, script: { atEnd: "repeat_last" } });
  await first.agent.send("Hello");
  await first.agent.close();
  const later = join(home, ".deckhand/sessions", "ses_ffffffff-ffff-7fff-bfff-ffffffffffff.jsonl");
  writeFileSync(later, "");
  const again = await openTestAgent(t, { home, session: "latest", script: { atEnd: "repeat_last" } });
  assert.equal(again.agent.sessionId, first.agent.sessionId);
});
