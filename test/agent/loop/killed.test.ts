import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { assembleConversation } from "../../../src/agent/session/assemble-conversation.ts";
import type { Message } from "../../../src/core/message.ts";
import { resultsIn } from "../../support/agent.ts";
import { count } from "../../support/counts.ts";
import { isolatedEnvironment, openRuntime } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const program = fileURLToPath(new URL("../../fixtures/agent/counts-to-twenty.ts", import.meta.url));

/** After so many lines of the program, or as soon as the file that it counts in has grown so often. */
type Moment = { readonly lines: number } | { readonly growth: number } | "never";

test("kill -9 at any step of 20 calls: each has its effect once or is shown as unknown, never twice [L11]", async (t) => {
  for (let session = 0; session < count({ quick: 1, full: 15 }); session++) {
    const home = await temporaryFolder(t);
    let kills = 0;
    for (let round = 0; round < count({ quick: 6, full: 60 }); round++) {
      // Other lines each time, so that in the end every kind of step was the last one; between them, right after an effect.
      const moment = round % 3 === 2 ? { growth: 1 + (round % 2) } : { lines: 1 + ((session * 7 + round * 5) % 23) };
      if ((await runUntil(t, home, moment)) === "done") break;
      kills += 1;
      const messages = await conversationIn(t, home);
      assertValidConversation(messages);
      checkEffects(messages, home);
    }
    assert.ok(kills >= 5, `only ${kills} kills before it was done`);
    assert.equal(await runUntil(t, home, "never"), "done");
    const messages = await conversationIn(t, home);
    assertValidConversation(messages);
    const { done, unknown } = checkEffects(messages, home);
    assert.equal(done.length + unknown.length, 20);
  }
});

/** Every number that is said to be done is there once, one that is unknown at most once, and nothing else ever twice. */
function checkEffects(messages: readonly Message[], home: string): { done: number[]; unknown: number[] } {
  const path = join(home, "count.txt");
  const written = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").filter(Boolean).map(Number) : [];
  assert.deepEqual(written.length, new Set(written).size, `twice: ${written.join(" ")}`);
  const done: number[] = [];
  const unknown: number[] = [];
  for (const { callId, text } of resultsIn(messages)) {
    const number = Number(/^count_\d+_(\d+)$/.exec(callId)?.[1]);
    if (Number.isNaN(number) || /^Not run:|^\[no result/.test(text)) continue;
    if (text.startsWith("Outcome unknown:")) unknown.push(number);
    else {
      assert.equal(text, "(no output)");
      assert.ok(written.includes(number), `${number} is said to be done`);
      done.push(number);
    }
  }
  assert.equal(new Set([...done, ...unknown]).size, done.length + unknown.length, "asked for again although it ran");
  return { done, unknown };
}

async function runUntil(t: TestContext, home: string, moment: Moment): Promise<"done" | "killed"> {
  const child = spawn(process.execPath, [program, home], {
    env: { ...isolatedEnvironment(home), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    if (typeof moment === "object" && "lines" in moment && lines.length === moment.lines) child.kill("SIGKILL");
  });
  const watch = watchGrowth(join(home, "count.txt"), moment, () => child.kill("SIGKILL"));
  await Promise.all([once(child, "exit"), once(reader, "close")]);
  clearInterval(watch);
  if (lines.at(-1) === "done") return "done";
  assert.equal(child.signalCode, "SIGKILL", lines.join("\n"));
  return "killed";
}

function watchGrowth(path: string, moment: Moment, act: () => void): ReturnType<typeof setInterval> | undefined {
  if (moment === "never" || "lines" in moment) return undefined;
  const sizeNow = (): number => (existsSync(path) ? statSync(path).size : 0);
  let last = sizeNow();
  let left = moment.growth;
  return setInterval(() => {
    const size = sizeNow();
    if (size > last && --left === 0) act();
    last = size;
  }, 1);
}

/** As the next one who opens it would send it, before anything is put right. */
async function conversationIn(t: TestContext, home: string): Promise<readonly Message[]> {
  const runtime = await openRuntime(t, { home, recover: false });
  const sessions = await runtime.sessions();
  const exists = (await sessions.list(9)).length > 0;
  const messages = exists ? assembleConversation((await sessions.read("latest")).branch).messages : [];
  await runtime.close();
  return messages;
}
