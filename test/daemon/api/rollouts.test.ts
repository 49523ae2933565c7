import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Settings } from "../../../src/config/settings.ts";
import { openToolBench, saying } from "../../tool-files/support.ts";
import { openApi, steady } from "./open-api.ts";

const settings: Settings = { permissions: { allow: ["*"] }, rollout: { mode: "canary" } };

/** A tool file whose second content is tried. */
async function openTrial(t: TestContext) {
  const bench = await openToolBench(t, { "say.js": saying("hi") });
  const runtime = await bench.open({ settings });
  for (let index = 0; index < 3; index++) await runtime.call("say", {}, { conversationId: `ses_a${index}` });
  await bench.save("say.js", saying("ho"));
  bench.trust();
  // It finds the new content, and goes to the old one: the trial begins after it.
  await runtime.call("say", {}, { conversationId: "ses_b" });
  return { runtime, api: openApi(t, runtime, { env: bench.env }) };
}

test("a trial is shown with what it changes, what happened, and how both versions did over time [D6]", async (t) => {
  const { runtime, api } = await openTrial(t);
  const routes: (string | null)[] = [];
  // Which conversations get it is drawn: one in ten.
  while (!(routes.includes("canary") && routes.includes("stable")) && routes.length < 400) {
    routes.push((await runtime.call("say", {}, { conversationId: `ses_${routes.length}` })).route);
  }
  const { body: list } = await api.get("/api/rollouts");
  assert.deepEqual([Object.keys(list), list.mode], [["items", "next", "mode"], "canary"]);
  assert.deepEqual(steady({ ...list.items[0], reason: "REASON" }), {
    tool: "say",
    file: "tools/say.js",
    mode: "canary",
    stable: "say@HASH",
    stable_since: "TIME",
    canary: "say@HASH",
    percent: 10,
    stages: [10, 30, 60, 80, 100],
    status: "running",
    is_held: false,
    is_pinned: false,
    awaits_approval: false,
    reason: "REASON",
    started_at: "TIME",
  });
  const { status, body } = await api.get("/api/rollouts/say");
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).toSorted(), [
    "corrections",
    "diff",
    "figures",
    "harm",
    "history",
    "lanes",
    "release",
    "series",
    "view",
  ]);
  assert.deepEqual(body.view, list.items[0]);
  assert.match(body.diff, /^--- a\/tools\/say\.js\n\+\+\+ b\/tools\/say\.js\n@@ /);
  assert.match(body.diff, /^-export const run = .*"hi"/m);
  assert.match(body.diff, /^\+export const run = .*"ho"/m);
  assert.deepEqual(
    body.history.map(({ type }: { type: string }) => type),
    ["replayed", "started", "live"],
  );
  const byRoute = (route: string): number =>
    body.series
      .filter((bucket: { route: string }) => bucket.route === route)
      .reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0);
  for (const route of ["stable", "canary"]) {
    assert.equal(byRoute(route), routes.filter((each) => each === route).length);
  }
  const [bucket] = body.series;
  assert.deepEqual(steady({ ...bucket, calls: 0, route: "", version: "" }), {
    at: "TIME",
    span_ms: 60_000,
    version: "",
    route: "",
    calls: 0,
    errors: 0,
    p50_ms: "MS",
    p95_ms: "MS",
    p95_low_ms: "MS",
    p95_high_ms: null,
  });
});

test("a person holds, resumes, promotes and rolls back, and the record names them [D6]", async (t) => {
  const { api } = await openTrial(t);
  const asLee = { who: "lee" };
  const held = await api.post("/api/rollouts/say/hold", { reason: "over the weekend" }, asLee);
  assert.deepEqual([held.status, held.body.is_held, held.body.reason], [200, true, "Held by lee: over the weekend"]);
  assert.equal((await api.post("/api/rollouts/say/resume", {}, asLee)).body.is_held, false);
  const next = await api.post("/api/rollouts/say/promote", { reason: "looks good" }, asLee);
  assert.deepEqual([next.status, next.body.percent], [200, 30]);
  const back = await api.post("/api/rollouts/say/rollback", { kind: "hard", reason: "it says ho" }, asLee);
  assert.deepEqual([back.body.status, back.body.is_pinned, back.body.percent], ["rolled_back", true, 0]);
  const { body } = await api.get("/api/rollouts/say");
  assert.deepEqual(
    body.history
      .toReversed()
      .slice(3)
      .map(({ type, by, who, reason }: Record<string, string>) => [type, by, who, reason]),
    [
      ["held", "person", "lee", "over the weekend"],
      ["resumed", "person", "lee", "A person resumed it."],
      ["advanced", "person", "lee", "looks good"],
      ["rolled_back", "person", "lee", "it says ho"],
    ],
  );
  assert.equal((await api.post("/api/rollouts/say/promote", { to: "all" }, asLee)).body.status, "none");
});

test("orders that do not fit are refused with one sentence [D6]", async (t) => {
  const bench = await openToolBench(t, { "say.js": saying("hi") });
  const runtime = await bench.open({ settings });
  await runtime.call("say", {});
  const api = openApi(t, runtime, { env: bench.env });
  const nothing = "No other version of say is being tried: there is nothing to promote.";
  assert.deepEqual(await api.post("/api/rollouts/say/promote"), {
    status: 409,
    body: { error: { code: "ROLLOUT_STATE", message: nothing } },
  });
  const unknown = 'There is no tool file "sya" that is known; did you mean say?';
  assert.deepEqual(await api.get("/api/rollouts/sya"), {
    status: 404,
    body: { error: { code: "UNKNOWN_TOOL", message: unknown } },
  });
  for (const [path, given, sentence] of [
    ["promote", { to: "everybody" }, 'to must be one of next, all; got "everybody".'],
    ["rollback", { kind: 1 }, "kind must be one of soft, hard; got 1."],
    ["rollback", { to: 1 }, "to must be a text, got 1."],
    ["hold", { reason: [] }, "reason must be a text, got a list."],
    ["resume", { to: "all" }, '"to" means nothing here. There are: reason.'],
  ] as const) {
    const { status, body } = await api.post(`/api/rollouts/say/${path}`, given);
    assert.deepEqual([status, body.error.message], [400, sentence]);
  }
  const { body } = await api.get("/api/rollouts/say");
  assert.deepEqual([body.diff, body.view.status, body.series.length], [null, "none", 1]);
});
