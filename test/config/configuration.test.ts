import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfiguration } from "../../src/config/load-configuration.ts";
import { parseJsonc } from "../../src/core/json.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A workdir and a home with the given files; nothing of the machine's own configuration is seen. */
async function setUp(t: Parameters<typeof temporaryFolder>[0], files: { project?: string; user?: string } = {}) {
  const folder = await temporaryFolder(t);
  const workdir = join(folder, "work");
  const userFolder = join(folder, "config", "deckhand");
  await mkdir(workdir);
  await mkdir(userFolder, { recursive: true });
  if (files.project !== undefined) await writeFile(join(workdir, "deckhand.json"), files.project);
  if (files.user !== undefined) await writeFile(join(userFolder, "deckhand.json"), files.user);
  const base = { HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
  return (env: Record<string, string> = {}, overrides = {}) =>
    loadConfiguration({ workdir, env: { ...base, ...env }, overrides, isTrusted: () => false }).configuration;
}

const web = {
  allowHosts: [],
  allowPrivate: false,
  maxBytes: 5_242_880,
  proxy: "refuse",
  searxngUrl: null,
  timeoutMs: 20_000,
};

const rolloutPolicy = {
  stages: [10, 30, 60, 100],
  approve: "never",
  error_rate: 0.02,
  timeout_rate: 0.01,
  rollback_rate: 0.05,
  p95_rate: 0.2,
  p95_allowance_ms: 5,
  min_samples: 100,
  calls: 100,
  max_canary_calls: 4000,
  max_age_days: 14,
  holdback_percent: 20,
  holdback_calls: 1500,
  holdback_days: 7,
  scheduled_runs: 3,
  scheduled_days: 1,
};

const defaults = {
  model: { providers: {} },
  limits: {
    defaultTimeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    timeoutMs: {},
    idleMs: {},
    maxParallel: 4,
    maxRetry: 3,
    maxOutputBytes: 67_108_864,
    maxTurns: 20,
    maxCost: null,
    maxContextTokens: null,
    maxResultCharacters: 10_000,
    maxAgents: 4,
    taskTimeoutMs: 1_800_000,
    maxTaskOutputBytes: 4_294_967_296,
    maxBackgroundLogBytes: 8_388_608,
  },
  permissions: {
    mode: "ask",
    deny: [],
    ask: [],
    allow: [],
    unattended: "refuse",
    tasksOutsideWorkspace: false,
    strictWorkdirOnly: false,
  },
  tools: { folder: "tools", disabled: [], environment: [], web },
  hooks: { before: [], after: [] },
  sandbox: { mode: "auto", network: "auto", writable: [], hidden: [], visible: [] },
  mcpServers: {},
  agents: {},
  rollout: {
    mode: "off",
    dryRun: false,
    window: 3,
    replay: { calls: 20, timeoutMs: 5000 },
    low: rolloutPolicy,
    high: { ...rolloutPolicy, stages: [1, 5, 20, 50, 100], scheduled_runs: 5 },
    tools: {},
  },
  schedule: {
    maxRunning: 32,
    timeZone: null,
    overlap: "skip",
    missed: "last",
    missedDays: 7,
    timeoutMs: 3_600_000,
    retries: 0,
    pauseAfterFailures: 3,
    historyDays: 90,
  },
  store: { kind: "sqlite", url: null, scope: null },
  log: { audit: true, workflow: true, onFailure: "refuse", fsync: "interval", maxBytes: 67_108_864 },
  retention: { executionsDays: 30, outputsDays: 7, outputsMaxBytes: 1_073_741_824, logDays: null, tasksMinutes: 60 },
};

test("without any setting the promised defaults hold [E3 P1 P6 V4]", async (t) => {
  const load = await setUp(t);
  assert.deepEqual(load(), defaults);
});

test("a flag wins over the environment, that over the project's file, that over the user's", async (t) => {
  const load = await setUp(t, {
    user: '{"limits": {"max_retry": 1, "max_parallel": 1, "default_timeout_ms": 1000, "max_timeout_ms": 1000}}',
    project: '{"limits": {"max_retry": 2, "max_parallel": 2, "default_timeout_ms": 2000}}',
  });
  const env = { DECKHAND_LIMITS_MAX_RETRY: "5", DECKHAND_LIMITS_MAX_PARALLEL: "5" };
  const { limits } = load(env, { limits: { max_retry: 7 } });
  assert.deepEqual(
    [limits.maxRetry, limits.maxParallel, limits.defaultTimeoutMs, limits.maxTimeoutMs],
    [7, 5, 2000, 1000],
  );
});

test("DECKHAND_MAX_PARALLEL_TOOLS is capped at 12, and junk means 4 [P1]", async (t) => {
  const load = await setUp(t);
  const table = {
    "1": 1,
    "8": 8,
    "12": 12,
    "13": 12,
    "100000": 12,
    "0": 4,
    "-3": 4,
    four: 4,
    "": 4,
    "4.5": 4,
    " 6 ": 6,
  };
  for (const [raw, expected] of Object.entries(table)) {
    assert.equal(load({ DECKHAND_MAX_PARALLEL_TOOLS: raw }).limits.maxParallel, expected, JSON.stringify(raw));
  }
});

test("the prefixed variable wins over its alias [P1]", async (t) => {
  const load = await setUp(t);
  const env = { DECKHAND_MAX_PARALLEL_TOOLS: "2", DECKHAND_LIMITS_MAX_PARALLEL: "9" };
  assert.equal(load(env).limits.maxParallel, 9);
});

test("TOOL_TIMEOUT_SECONDS is the shell's limit and at most 120 s [E3 G3]", async (t) => {
  const load = await setUp(t);
  assert.deepEqual(load({ TOOL_TIMEOUT_SECONDS: "30" }).limits.timeoutMs, { bash: 30_000 });
  assert.deepEqual(load({ TOOL_TIMEOUT_SECONDS: "500" }).limits.timeoutMs, { bash: 120_000 });
  assert.deepEqual(load({ TOOL_TIMEOUT_SECONDS: "soon" }).limits.timeoutMs, {});
});

test("a file with comments and trailing commas is read", async (t) => {
  const load = await setUp(t, {
    project:
      '{\n  // as fast as it goes\n  "limits": { "max_parallel": 12, /* all */ "timeout_ms": { "list_files": 5, }, },\n}',
  });
  const { limits } = load();
  assert.equal(limits.maxParallel, 12);
  assert.deepEqual(limits.timeoutMs, { list_files: 5 });
});

test("wrong settings are one sentence that names the key", async (t) => {
  const table: [string, RegExp][] = [
    ['{"limitz": {}}', /deckhand\.json: "limitz" is not a setting; did you mean "limits"\?/],
    ['{"limits": {"max_retrys": 1}}', /"limits\.max_retrys" is not a setting; did you mean "max_retry"\?/],
    ['{"limits": {"max_parallel": "many"}}', /limits\.max_parallel: .*number.*/],
    ['{"limits": {"max_parallel": 13}}', /limits\.max_parallel: /],
    ['{"sandbox": "maybe"}', /sandbox: /],
    ["[]", /the whole file: /],
    ['{"limits": {', /is not JSON \(line 1, column \d+/],
  ];
  for (const [project, message] of table) {
    const load = await setUp(t, { project });
    assert.throws(() => load(), { code: "CONFIG_INVALID", message }, project);
  }
});

test("a wrong value in the environment is one sentence, too", async (t) => {
  const load = await setUp(t);
  assert.throws(() => load({ DECKHAND_LIMITS_MAX_RETRY: "often" }), {
    code: "CONFIG_INVALID",
    message: /limits\.max_retry/,
  });
});

test("a project may ask for a stricter sandbox; a weaker one waits for trust", async (t) => {
  const stricter = await setUp(t, { project: '{"sandbox": "require"}' });
  assert.equal(stricter().sandbox.mode, "require");
  const weaker = await setUp(t, { project: '{"sandbox": "off"}' });
  assert.equal(weaker().sandbox.mode, "auto");
  assert.equal((await setUp(t, { user: '{"sandbox": "off"}' }))().sandbox.mode, "off");
});

/** One line per key that widens, weakens or executes, and its narrowing counterpart. */
const widening: [settings: object, key: string][] = [
  [{ model: "openai/gpt-x" }, "model"],
  [{ limits: { max_turns: 500 } }, "limits.max_turns"],
  [{ limits: { max_agents: 50 } }, "limits.max_agents"],
  [{ limits: { task_timeout_ms: 86_400_000 } }, "limits.task_timeout_ms"],
  [{ limits: { max_task_output_bytes: 2 ** 40 } }, "limits.max_task_output_bytes"],
  [{ limits: { max_background_log_bytes: 2 ** 30 } }, "limits.max_background_log_bytes"],
  [{ agents: { evil: { command: ["sh", "evil.sh"] } } }, "agents"],
  [{ agents: { claude: { allow_bypass: true } } }, "agents"],
  [{ permissions: { allow: ["bash"] } }, "permissions.allow"],
  [{ permissions: { mode: "auto" } }, "permissions.mode"],
  [{ permissions: { unattended: "inbox" } }, "permissions.unattended"],
  [{ tools: { folder: "elsewhere" } }, "tools.folder"],
  [{ tools: { environment: ["GITHUB_TOKEN"] } }, "tools.environment"],
  [{ log: { audit: false } }, "log.audit"],
  [{ log: { on_failure: "continue" } }, "log.on_failure"],
  [{ log: { fsync: "never" } }, "log.fsync"],
  [{ store: { kind: "memory" } }, "store.kind"],
  [{ retention: { executions_days: 1 } }, "retention.executions_days"],
  [{ schedule: { scope: "somebody else's" } }, "schedule.scope"],
  [{ store: { scope: "somebody else's" } }, "store.scope"],
  [{ schedule: { max_running: 33 } }, "schedule.max_running"],
  [{ schedule: { overlap: "allow" } }, "schedule.overlap"],
  [{ schedule: { missed: "all" } }, "schedule.missed"],
  [{ schedule: { missed_days: 8 } }, "schedule.missed_days"],
  [{ schedule: { timeout_ms: 3_600_001 } }, "schedule.timeout_ms"],
  [{ schedule: { retries: 1 } }, "schedule.retries"],
  [{ schedule: { pause_after_failures: 0 } }, "schedule.pause_after_failures"],
  [{ schedule: { history_days: 1 } }, "schedule.history_days"],
  [{ sandbox: "off" }, "sandbox.mode"],
  [{ sandbox: { network: "on" } }, "sandbox.network"],
  [{ sandbox: { writable: ["/etc"] } }, "sandbox.writable"],
  [{ hooks: { before: [{ command: ["sh", "evil.sh"] }] } }, "hooks.before"],
  [{ hooks: { after: [{ module: "evil.js" }] } }, "hooks.after"],
];

test("a cloned folder's file can't widen what is allowed, weaken the evidence or execute, until it is trusted [G8]", async (t) => {
  for (const [settings, key] of widening) {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "deckhand.json"), JSON.stringify(settings));
    const load = (isTrusted: boolean) =>
      loadConfiguration({ workdir: folder, env: { HOME: folder }, overrides: {}, isTrusted: () => isTrusted });
    const untrusted = load(false);
    assert.deepEqual(untrusted.configuration, defaults, key);
    assert.match(untrusted.warnings.join(), new RegExp(`sets ${key.replaceAll(".", "\\.")}, .*deckhand trust`), key);
    assert.notDeepEqual(load(true).configuration, defaults, key);
    assert.deepEqual(load(true).warnings, [], key);
  }
});

test("every key of the schedule has its variable, which wins over the files and is checked like them [D1]", async (t) => {
  const load = await setUp(t, { user: '{"schedule": {"retries": 4, "overlap": "allow", "history_days": 5}}' });
  const env = {
    DECKHAND_SCHEDULE_TIME_ZONE: "Asia/Seoul",
    DECKHAND_SCHEDULE_OVERLAP: "queue_one",
    DECKHAND_SCHEDULE_MISSED: "none",
    DECKHAND_SCHEDULE_MISSED_DAYS: "0.5",
    DECKHAND_SCHEDULE_MAX_RUNNING: "1",
    DECKHAND_SCHEDULE_TIMEOUT_MS: "90000",
    DECKHAND_SCHEDULE_RETRIES: "0",
    DECKHAND_SCHEDULE_PAUSE_AFTER_FAILURES: "7",
    DECKHAND_SCHEDULE_HISTORY_DAYS: "",
  };
  assert.deepEqual(load(env).schedule, {
    timeZone: "Asia/Seoul",
    overlap: "queue_one",
    missed: "none",
    missedDays: 0.5,
    maxRunning: 1,
    timeoutMs: 90_000,
    retries: 0,
    pauseAfterFailures: 7,
    historyDays: 5,
  });
  for (const [name, told] of [
    ["RETRIES", /schedule\.retries/],
    ["OVERLAP", /schedule\.overlap/],
    ["TIME_ZONE", /schedule\.time_zone: There is no time zone "often": .*[^.]\.$/],
  ] as const) {
    assert.throws(() => load({ [`DECKHAND_SCHEDULE_${name}`]: "often" }), { code: "CONFIG_INVALID", message: told });
  }
});

test("a project's name in a shared store has one setting, whose older name is still read [D1] [T4]", async (t) => {
  const load = await setUp(t, { user: '{"store": {"scope": "files"}, "schedule": {"scope": "older"}}' });
  assert.equal(load().store.scope, "files");
  assert.equal(load({ DECKHAND_SCHEDULE_SCOPE: "shop" }).store.scope, "shop");
  assert.equal(load({ DECKHAND_SCHEDULE_SCOPE: "shop", DECKHAND_STORE_SCOPE: "new" }).store.scope, "new");
  assert.throws(() => load({ DECKHAND_STORE_SCOPE: "x".repeat(1001) }), {
    code: "CONFIG_INVALID",
    message: /store\.scope/,
  });
});

test("a cloned folder's file may narrow freely [G8]", async (t) => {
  const load = await setUp(t, {
    project: JSON.stringify({
      permissions: { mode: "plan", deny: ["bash(curl *)"], ask: ["write"], strict_workdir_only: true },
      tools: { disabled: ["run_python"] },
      sandbox: { mode: "require", network: "off", hidden: ["secrets"] },
      log: { fsync: "always" },
      schedule: { max_running: 4, pause_after_failures: 1, time_zone: "UTC" },
    }),
  });
  const { permissions, tools, sandbox, log, schedule } = load();
  assert.deepEqual([schedule.maxRunning, schedule.pauseAfterFailures, schedule.timeZone], [4, 1, "UTC"]);
  assert.deepEqual(
    { permissions, tools, sandbox, fsync: log.fsync },
    {
      permissions: {
        mode: "plan",
        deny: ["bash(curl *)"],
        ask: ["write"],
        allow: [],
        unattended: "refuse",
        tasksOutsideWorkspace: false,
        strictWorkdirOnly: true,
      },
      tools: { folder: "tools", disabled: ["run_python"], environment: [], web },
      sandbox: { mode: "require", network: "off", writable: [], hidden: ["secrets"], visible: [] },
      fsync: "always",
    },
  );
});

test("rules, disabled tools and hooks of all files add up", async (t) => {
  const load = await setUp(t, {
    user: '{"permissions": {"deny": ["bash(a)"]}, "tools": {"disabled": ["grep"]}}',
    project: '{"permissions": {"deny": ["bash(b)", "bash(a)"]}, "tools": {"disabled": ["glob"]}}',
  });
  const { permissions, tools } = load({}, { permissions: { deny: ["bash(c)"] } });
  assert.deepEqual(permissions.deny, ["bash(a)", "bash(b)", "bash(c)"]);
  assert.deepEqual(tools.disabled, ["grep", "glob"]);
});

test("STRICT_WORKDIR_ONLY=1 switches the strict mode on, and the prefixed name wins [G2]", async (t) => {
  const load = await setUp(t);
  assert.equal(load({ STRICT_WORKDIR_ONLY: "1" }).permissions.strictWorkdirOnly, true);
  assert.equal(load({ STRICT_WORKDIR_ONLY: "0" }).permissions.strictWorkdirOnly, false);
  const both = { STRICT_WORKDIR_ONLY: "0", DECKHAND_PERMISSIONS_STRICT_WORKDIR_ONLY: "true" };
  assert.equal(load(both).permissions.strictWorkdirOnly, true);
  assert.throws(() => load({ STRICT_WORKDIR_ONLY: "perhaps" }), { code: "CONFIG_INVALID", message: /strict_workdir/ });
});

test("a hook needs a command or a module, and not both", async (t) => {
  for (const hook of [{}, { command: ["a"], module: "b.js" }]) {
    const load = await setUp(t, { project: JSON.stringify({ hooks: { before: [hook] } }) });
    assert.throws(() => load(), { code: "CONFIG_INVALID", message: /either "command" or "module"/ });
  }
});

test("a pipe in place of the file is refused at once", { timeout: 10_000 }, async (t) => {
  const folder = await temporaryFolder(t);
  execFileSync("mkfifo", [join(folder, "deckhand.json")]);
  assert.throws(
    () =>
      loadConfiguration({ workdir: folder, env: { HOME: folder }, overrides: {}, isTrusted: () => false })
        .configuration,
    {
      code: "CONFIG_INVALID",
      message: /deckhand\.json can't be read: it is not a file/,
    },
  );
});

test("comments inside strings are text", () => {
  assert.deepEqual(parseJsonc('{"a": "// not a comment, /* neither */", "b": "\\"//"}'), {
    a: "// not a comment, /* neither */",
    b: '"//',
  });
});
