import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import type { Settings } from "../../src/config/settings.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { isolatedEnvironment, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { saying } from "../tool-files/support.ts";
import { openDaemon } from "./support/daemon.ts";

const day = 24 * 60 * 60_000;

test("without any call a daemon tries a file that was changed, and says when a trial is too old [D2] [V4]", async (t) => {
  const home = await temporaryFolder(t);
  await mkdir(join(home, "tools"));
  async function save(word: string): Promise<void> {
    await writeFile(join(home, "tools", "say.js"), saying(word));
    const trust = createTrust(home, isolatedEnvironment(home));
    trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: trust.quarantined() });
  }

  await save("hi");
  let laterMs = 0;
  const runtimeClock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const clock = createManualClock();
  const settings: Settings = { permissions: { allow: ["*"] }, rollout: { mode: "canary" } };
  const { runtime } = await openDaemon(t, { home, clock, config: { settings, clock: runtimeClock } });
  for (let index = 0; index < 3; index++) await runtime.call("say", {}, { conversationId: `ses_a${index}` });
  const rollouts = await runtime.rollouts();

  await save("ho");
  const calls = (await runtime.list({ limit: 100 })).length;
  await until("the new content is tried", async () => {
    clock.advance(10_000);
    return (await rollouts.list("say"))[0]?.status === "running";
  });
  assert.match((await rollouts.list("say"))[0]!.reason, /^Replayed: /);
  assert.equal((await runtime.list({ limit: 100 })).length, calls);

  // Which conversations get it is drawn: one in ten.
  for (let index = 0; index < 400; index++) {
    if ((await runtime.call("say", {}, { conversationId: `ses_${index}` })).route === "canary") break;
  }
  laterMs = 15 * day;
  const event = await until("it is told", async () => {
    clock.advance(10_000);
    return (await rollouts.history({ tool: "say", limit: 100 })).find(({ type }) => type === "inconclusive");
  });
  assert.deepEqual([event.by, (event.figures as { readonly cause: string }).cause], ["rule", "age"]);
});
