import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { loadConfiguration, type LoadedConfiguration } from "../../../src/config/load-configuration.ts";
import { policyFor, rolloutModeFor } from "../../../src/config/rollout-settings.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface Given {
  readonly project?: unknown;
  readonly user?: unknown;
  readonly overrides?: unknown;
  readonly env?: Record<string, string>;
  readonly isTrusted?: boolean;
}

async function load(t: TestContext, given: Given): Promise<LoadedConfiguration> {
  const folder = await temporaryFolder(t);
  const workdir = join(folder, "work");
  const userFolder = join(folder, "config", "deckhand");
  await mkdir(workdir);
  await mkdir(userFolder, { recursive: true });
  const write = (path: string, rollout: unknown) => writeFile(path, JSON.stringify({ rollout }));
  if (given.project !== undefined) await write(join(workdir, "deckhand.json"), given.project);
  if (given.user !== undefined) await write(join(userFolder, "deckhand.json"), given.user);
  return loadConfiguration({
    workdir,
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), ...given.env },
    overrides: given.overrides === undefined ? {} : { rollout: given.overrides },
    isTrusted: () => given.isTrusted ?? true,
  });
}

test("without settings a policy is the source's numbers, and the last step of a risky tool is a person's [V4]", async (t) => {
  const { rollout } = (await load(t, {})).configuration;
  const day = 86_400_000;
  const low = {
    scope: "live",
    risk: "low",
    approve: "never",
    dryRun: false,
    stages: [10, 30, 60, 100],
    odds: { advance: [0.06, 0.1], promote: 145, rollback: 80 },
    limits: {
      errorRate: 0.02,
      timeoutRate: 0.01,
      latency: { share: 0.2, milliseconds: 5 },
      rollbackRate: 0.05,
      calls: 100,
      stageCalls: 100,
    },
    maxCanaryCalls: 4000,
    maxAgeMs: 14 * day,
    holdback: { percent: 20, calls: 1500, elapsedMs: 7 * day },
    scheduled: { runs: 3, elapsedMs: day },
  };
  assert.deepEqual(policyFor(rollout, { tool: "echo_tool", risk: "low", lane: "live" }), low);
  assert.deepEqual(policyFor(rollout, { tool: "echo_tool", risk: "high", lane: "scheduled" }), {
    ...low,
    scope: "scheduled",
    risk: "high",
    stages: [1, 5, 20, 50, 100],
    odds: { advance: [0.06, 0.1], promote: 400, rollback: 80 },
    scheduled: { runs: 5, elapsedMs: day },
  });
  assert.equal(rolloutModeFor(rollout, "echo_tool"), "off");
});

test("what is said of a tool wins over its risk, and each file adds to the one before [V4]", async (t) => {
  const { rollout } = (
    await load(t, {
      user: { mode: "canary", low: { error_rate: 0.01, calls: 200 }, tools: { pay: { risk: "high", calls: 400 } } },
      project: { low: { calls: 300 }, tools: { pay: { approve: "each" }, notes: { mode: "off" } } },
      overrides: { low: { max_age_days: 2, calls: undefined } },
    })
  ).configuration;
  const low = policyFor(rollout, { tool: "notes", risk: "low", lane: "live" });
  assert.deepEqual(
    [low.limits.errorRate, low.limits.calls, low.maxAgeMs, low.limits.timeoutRate],
    [0.01, 300, 172_800_000, 0.01],
  );
  const pay = policyFor(rollout, { tool: "pay", risk: "low", lane: "live" });
  assert.deepEqual([pay.risk, pay.approve, pay.limits.calls, pay.stages], ["high", "each", 400, [1, 5, 20, 50, 100]]);
  assert.deepEqual(
    ["notes", "pay", "constructor"].map((tool) => rolloutModeFor(rollout, tool)),
    ["off", "canary", "canary"],
  );
});

test("samples of a stage, and by how much a p95 may rise, are settings [V4]", async (t) => {
  const { rollout } = (
    await load(t, {
      project: {
        low: { min_samples: 250, p95_rate: 0.5 },
        tools: { notes: { min_samples: 20, p95_allowance_ms: 40, holdback_days: 1 } },
      },
    })
  ).configuration;
  const limitsOf = (tool: string) => policyFor(rollout, { tool, risk: "low", lane: "live" }).limits;
  assert.deepEqual([limitsOf("notes").stageCalls, limitsOf("other").stageCalls], [20, 250]);
  assert.deepEqual(
    [limitsOf("notes").latency, limitsOf("other").latency],
    [
      { share: 0.5, milliseconds: 40 },
      { share: 0.5, milliseconds: 5 },
    ],
  );
  assert.equal(policyFor(rollout, { tool: "notes", risk: "low", lane: "live" }).holdback.elapsedMs, 86_400_000);
});

test("the share never shrinks on the way up, whatever is held back [V2]", async (t) => {
  const { rollout } = (await load(t, { project: { low: { stages: [50, 98, 100], holdback_percent: 10 } } }))
    .configuration;
  assert.equal(policyFor(rollout, { tool: "notes", risk: "low", lane: "live" }).holdback.percent, 2);
});

test("the environment switches canaries on and off", async (t) => {
  const off = await load(t, { user: { mode: "canary" }, env: { DECKHAND_ROLLOUT_MODE: "off" } });
  assert.equal(off.configuration.rollout.mode, "off");
  const env = { DECKHAND_ROLLOUT_MODE: "canary", DECKHAND_ROLLOUT_DRY_RUN: "yes" };
  const { rollout } = (await load(t, { env })).configuration;
  assert.deepEqual([rollout.mode, rollout.dryRun], ["canary", true]);
  await assert.rejects(
    load(t, { env: { DECKHAND_ROLLOUT_MODE: "on" } }),
    /environment \(DECKHAND_…\): rollout\.mode: /,
  );
});

for (const [what, settings, sentence] of [
  ["an unknown key", { modes: "canary" }, /: "rollout\.modes" is not a setting; did you mean "mode"\?$/],
  [
    "one of a tool",
    { tools: { a: { stage: [1] } } },
    /"rollout\.tools\.a\.stage" is not a setting; did you mean "stages"/,
  ],
  ["a mode that is none", { mode: "beta" }, /rollout\.mode: Invalid option: expected one of "off"\|"canary"\.$/],
  [
    "percent for a share",
    { low: { error_rate: 2 } },
    /rollout\.low\.error_rate: expected a share from 0 to 1, such as 0\.02 for 2 %\.$/,
  ],
  [
    "stages that fall",
    { high: { stages: [30, 10, 100] } },
    /rollout\.high\.stages: expected whole percents that rise and end with 100/,
  ],
  ["stages without an end", { high: { stages: [10, 30] } }, /rollout\.high\.stages: expected whole percents/],
  ["stages with nothing to compare with", { low: { stages: [100] } }, /at least one before it/],
  ["no calls at all", { tools: { a: { calls: 0 } } }, /rollout\.tools\.a\.calls: /],
  [
    "a list for a number",
    { window: [3] },
    /rollout\.window: Invalid input: expected int, received array\.$|rollout\.window: .*number/,
  ],
] as const) {
  test(`${what} is one sentence that names the key`, async (t) => {
    await assert.rejects(load(t, { project: settings }), (error: Error & { code?: string }) => {
      assert.equal(error.code, "CONFIG_INVALID");
      assert.match(error.message, sentence);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
}

test("a folder that is not trusted may make rollouts more careful, and nothing else [V4]", async (t) => {
  const user = { mode: "canary", high: { approve: "last" }, tools: { pay: { approve: "last" } } };
  const project = {
    mode: "off",
    dry_run: true,
    window: 10,
    replay: { calls: 5, timeout_ms: 9000 },
    low: { error_rate: 0.01, rollback_rate: 0.5, calls: 10, stages: [50, 100], max_canary_calls: 9000 },
    high: { approve: "never", holdback_percent: 20 },
    tools: { pay: { approve: "each", risk: "low", mode: "off", calls: 500 }, other: { risk: "high", calls: 99 } },
  };
  const { configuration, warnings } = await load(t, { user, project, isTrusted: false });
  const { rollout } = configuration;
  assert.deepEqual([rollout.mode, rollout.dryRun, rollout.window], ["canary", false, 3]);
  assert.deepEqual(rollout.replay, { calls: 20, timeoutMs: 9000 });
  const { low, high } = rollout;
  assert.deepEqual(
    [low.error_rate, low.rollback_rate, low.calls, low.stages, low.max_canary_calls],
    [0.01, 0.05, 100, [10, 30, 60, 100], 9000],
  );
  assert.deepEqual([high.approve, high.holdback_percent], ["last", 20]);
  assert.deepEqual(rollout.tools, { pay: { approve: "each", calls: 500 }, other: { risk: "high" } });
  const keys = [
    "rollout.mode",
    "rollout.dry_run",
    "rollout.window",
    "rollout.replay.calls",
    "rollout.low.rollback_rate",
    "rollout.low.calls",
    "rollout.low.stages",
    "rollout.high.approve",
    "rollout.tools.pay.risk",
    "rollout.tools.pay.mode",
    "rollout.tools.other.calls",
  ];
  assert.equal(warnings.length, 1);
  assert.deepEqual(/ sets (.*), which a folder/.exec(warnings[0]!)?.[1]?.split(", ").toSorted(), keys.toSorted());
});

test("a folder that is not trusted may switch canaries on [V4]", async (t) => {
  const { configuration, warnings } = await load(t, { project: { mode: "canary" }, isTrusted: false });
  assert.deepEqual([configuration.rollout.mode, warnings], ["canary", []]);
});
