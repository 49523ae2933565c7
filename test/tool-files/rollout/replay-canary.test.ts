import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { Execution } from "../../../src/core/call.ts";
import { replayCanary, type ReplayOrder } from "../../../src/tool-files/rollout/service/replay-canary.ts";
import { createToolVersion, type ToolVersion } from "../../../src/tool-files/custom-tool.ts";
import { makeExecution } from "../../contract/make-execution.ts";
import { openHosts, type HostBench } from "../host/support.ts";

const spec = {
  name: "say",
  description: "Say a word.",
  input_schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  cases: [{ name: "hello", input: { word: "hello" }, expect: "HELLO" }],
};

const source = (body: string, more: object = {}): string =>
  `export const TOOL_SPEC = ${JSON.stringify({ ...spec, ...more })};
export async function run({ word }, context) {
  ${body}
  return { ok: true, output: word.toUpperCase() };
}
`;

async function openVersion({ hosts, file }: HostBench, text: string): Promise<ToolVersion> {
  const kept = file("say.ts", text);
  const described = await hosts.describe(kept);
  assert.ok(described.ok);
  return createToolVersion(
    "say.ts",
    { file: kept, spec: described.spec },
    {
      hosts: async () => hosts,
      currentOf: async () => undefined,
      explainInput: () => ({ ok: false, error: "It does not fit." }),
      onCallEnded: () => undefined,
    },
  );
}

/** Calls that completed, newest first. */
const recorded = (...words: readonly string[]): Execution[] =>
  words.map((word, index) => makeExecution({ id: `call_${index}`, state: "completed", toolInput: { word } }));

interface Play extends Partial<ReplayOrder> {
  readonly canaryText: string;
  readonly stableText: string;
  readonly executions?: readonly Execution[];
}

async function play(bench: HostBench, { canaryText, stableText, executions = [], ...order }: Play) {
  const { hosts, workdir } = bench;
  const place = { hosts, workdir, env: {}, clock: systemClock, list: async () => [...executions] };
  return replayCanary(place, {
    stable: await openVersion(bench, stableText),
    canary: await openVersion(bench, canaryText),
    origin: "person",
    calls: 20,
    caseMs: 5000,
    totalMs: 60_000,
    signal: new AbortController().signal,
    ...order,
  });
}

const readOnly = { traits: { read_only: true } };
const stableText = source("", readOnly);

test("a canary is tried with its cases and what was recorded: what fails, hangs or asks there only is held against it [V10]", async (t) => {
  const bench = await openHosts(t);
  const canaryText = source(
    `if (word === "crash") process.exit(3);
  if (word === "hang") for (;;);
  if (word === "ask") await context.ask({ text: "Really?" });
  if (word === "fail") return { ok: false, error: "No." };`,
    readOnly,
  );
  const executions = recorded("crash", "fine", "hang", "ask", "fail", "fine");
  const report = await play(bench, { canaryText, stableText, executions });
  assert.deepEqual([report.cases, report.passed, report.skipped], [6, 2, null]);
  assert.deepEqual(
    report.flips.map(({ name, input }) => [name, input]),
    [0, 2, 3, 4].map((index) => [`call_${index}`, executions[index]!.toolInput]),
  );
  const [crash, ...others] = report.flips.map(({ error }) => error);
  assert.match(crash!, /exit/);
  assert.deepEqual(others, ["It took longer than 5 s.", "It asks a person, which the stable version does not.", "No."]);
});

test("a canary that calls itself read-only where stable does not is not tried with recorded calls [V10]", async (t) => {
  const bench = await openHosts(t);
  const order = { canaryText: stableText, stableText: source(""), executions: recorded("a") };
  const report = await play(bench, order);
  assert.deepEqual([report.cases, report.passed], [1, 1]);
  assert.match(report.skipped!, /^Recorded calls were not tried: the tool changes things/);
});

test("a person may change what a case expects; who else made the version may not [V10]", async (t) => {
  const bench = await openHosts(t);
  const shouting = source("word += '!';", { ...readOnly, cases: [{ ...spec.cases[0], expect: "HELLO!" }] });
  const quiet = source("word = 'other';", { ...readOnly, cases: [] });
  assert.deepEqual((await play(bench, { canaryText: shouting, stableText })).flips, []);
  assert.deepEqual((await play(bench, { canaryText: quiet, stableText })).flips, []);
  for (const origin of ["agent", "improve"] as const) {
    const { flips } = await play(bench, { canaryText: quiet, stableText, origin });
    assert.deepEqual(
      flips.map(({ name }) => name),
      ["hello"],
    );
  }
});
