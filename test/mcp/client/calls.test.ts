import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Execution } from "../../../src/core/call.ts";
import { isRunning } from "../../support/living-processes.ts";
import { until } from "../../support/runtime.ts";
import { openWorld, patienceMs, program, settingOf, type McpWorld } from "./support.ts";

async function openLoaded(
  t: TestContext,
  ...parameters: Parameters<typeof openWorld> extends [unknown, ...infer Rest] ? Rest : never
): Promise<McpWorld> {
  const world = await openWorld(t, ...parameters);
  await world.servers.load(patienceMs);
  return world;
}

async function call(world: McpWorld, tool: string, input: unknown = {}): Promise<Execution> {
  return world.engine().engine.call({ tool, input });
}

test("a server's tools are listed over all pages, under names that every provider takes [C9]", async (t) => {
  const { servers } = await openLoaded(t, [settingOf(program())]);
  const names = servers.tools().map(({ name }) => name);
  assert.deepEqual(names.slice(0, 3), ["small__echo", "small__sum", "small__fail"]);
  assert.equal(names.includes("small__dotted_name_with_space_6cc17d0d"), true, names.join(" "));
  for (const name of names) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  assert.equal(new Set(names).size, names.length);
  const [status] = servers.status();
  assert.deepEqual(status?.leftOut, [
    'The tool "huge" is left out: its input schema has more than 1 MB.',
    'The tool "list" is left out: its input schema is not an object.',
  ]);
});

test("patterns of a server's schema are dropped, properties of that name stay [C9]", async (t) => {
  const { servers } = await openLoaded(t, [settingOf(program())]);
  assert.deepEqual(servers.tools()[0]?.inputSchema, {
    type: "object",
    properties: { text: { type: "string" }, pattern: { type: "string" } },
    required: ["text"],
  });
});

test("what a server says of its tools' risk counts only when the person trusts it [C9]", async (t) => {
  const strange = await openLoaded(t, [settingOf(program())]);
  const trusted = await openLoaded(t, [settingOf(program(), { trustsAnnotations: true })]);
  const traitsOf = ({ servers }: McpWorld): unknown[] =>
    servers
      .tools()
      .slice(0, 3)
      .map(({ traits: { readOnly, risk, idempotent, replay } }) => [readOnly, risk, idempotent, replay]);
  const unknown = [false, "high", false, "never"];
  assert.deepEqual(traitsOf(strange), [unknown, unknown, unknown]);
  assert.deepEqual(traitsOf(trusted), [[true, "low", true, "safe"], [false, "medium", true, "check"], unknown]);
});

test("text, structured content, pictures, links and errors become ordinary results [C9]", async (t) => {
  const world = await openLoaded(t, [settingOf(program())]);
  const echo = await call(world, "small__echo", { text: "hello" });
  assert.deepEqual(echo.result, { ok: true, output: "you said hello" });
  assert.equal(echo.state, "completed");
  assert.match(echo.version ?? "", /^small__echo@[0-9a-f]{12}$/);
  const sum = await call(world, "small__sum", { a: 2, b: 3 });
  assert.deepEqual(sum.result, { ok: true, output: '{"sum":5}', data: { sum: 5 } });
  const fail = await call(world, "small__fail");
  assert.deepEqual(
    [fail.state, fail.result],
    ["failed", { ok: false, error: "the disk is full", errorType: "tool_error" }],
  );
  const mixed = await call(world, "small__mixed");
  const lines = [
    "a picture:",
    "[image: image/png, 3 kB]",
    "[resource: file:///a.txt, a.txt, the first]",
    "[resource: file:///b.txt]",
    "content of b",
  ];
  assert.deepEqual(mixed.result, { ok: true, output: lines.join("\n") });
});

test("an input that lacks something is refused before the server hears of it [C9]", async (t) => {
  const world = await openLoaded(t, (folder) => [settingOf(program(`log=${folder}/log`))]);
  const missing = await call(world, "small__echo");
  assert.deepEqual([missing.state, missing.errorType], ["failed", "invalid_input"]);
  assert.equal(world.logged().includes("got tools/call"), false);
});

test("a server gets the allowed environment and what its setting names, nothing else [C9 G7]", async (t) => {
  const transport = { ...program(), env: { API_KEY: "${SECRET}", MODE: "${UNSET:-plain}" } } as ReturnType<
    typeof program
  >;
  const world = await openLoaded(t, [settingOf(transport)], { env: { SECRET: "s3", OTHER: "not for it" } });
  const values = [];
  for (const name of ["API_KEY", "MODE", "OTHER"]) {
    const { result } = await call(world, "small__environment", { name });
    values.push(result?.output);
  }
  assert.deepEqual(values, ["s3", "plain", "not set"]);
});

test("progress is told, and a server that heeds a cancel goes on living [C9 E4]", async (t) => {
  const world = await openLoaded(t, [settingOf(program())]);
  const { engine, eventsOf } = world.engine();
  const pid = (await engine.call({ tool: "small__pid", input: {} })).result?.output;
  const running = engine.call({ tool: "small__slow", input: {} });
  await until("its progress", () => eventsOf("execution:progressed").length > 0);
  assert.deepEqual(eventsOf("execution:progressed")[0]?.progress, { message: "one of three", done: 1, total: 3 });
  engine.cancel(running.id, "enough");
  const { state, stopProof } = await running;
  assert.deepEqual([state, stopProof], ["cancelled", "cooperative"]);
  assert.equal((await engine.call({ tool: "small__pid", input: {} })).result?.output, pid);
});

test("a server that does not answer a cancel is stopped with proof, and the next call starts it again [C9 E4]", async (t) => {
  const world = await openLoaded(t, (folder) => [settingOf(program(`log=${folder}/log`))], { cancelMs: 50 });
  const { engine } = world.engine();
  const pid = Number((await engine.call({ tool: "small__pid", input: {} })).result?.output);
  const running = engine.call({ tool: "small__deaf", input: {} });
  await until("the call is there", () => world.logged().filter((line) => line === "got tools/call").length === 2);
  engine.cancel(running.id, "enough");
  const { state, stopProof, killed, survivors } = await running;
  assert.deepEqual([state, stopProof, survivors], ["cancelled", "marker", []]);
  assert.equal(
    killed.some((note) => note.pid === pid),
    true,
  );
  assert.equal(isRunning(pid), false);
  const next = await engine.call({ tool: "small__pid", input: {} });
  assert.notEqual(Number(next.result?.output), pid);
});

test("the engine's time limit ends a call that never answers [C9 E3]", async (t) => {
  const world = await openLoaded(t, [settingOf(program(), { timeoutMs: 300 })], { cancelMs: 50 });
  const { state, stopProof } = await call(world, "small__deaf");
  assert.deepEqual([state, stopProof], ["timeout", "marker"]);
});

test("a server that ends takes its calls along with a clear error, and comes back for the next one [C9]", async (t) => {
  const world = await openLoaded(t, [settingOf(program())]);
  const crash = await call(world, "small__crash");
  assert.deepEqual(
    [crash.state, crash.errorType, crash.error],
    ["failed", "server_lost", 'The MCP server "small" ended with exit code 7.'],
  );
  assert.match(
    crash.result && !crash.result.ok ? (crash.result.hint ?? "") : "",
    /Whether the call did its work is not known/,
  );
  assert.equal((await call(world, "small__echo", { text: "again" })).state, "completed");
});

test("a server that ends again and again is tried after longer and longer pauses [C9]", async (t) => {
  const world = await openLoaded(t, (folder) => [settingOf(program(`log=${folder}/log`))], { backoffMs: 3_600_000 });
  await call(world, "small__crash");
  await call(world, "small__crash");
  const refused = await call(world, "small__echo", { text: "hello" });
  assert.match(
    refused.error ?? "",
    /^The MCP server "small" failed 2 times in a row and is tried again in 60 s; the last time it ended with exit code 7\.$/,
  );
  assert.equal(world.logged().filter((line) => line.startsWith("started")).length, 2);
});

test("a question of the server goes to the person, and an answer that nobody gives is not made up [C9]", async (t) => {
  const answers = [
    { answered: true, text: "blue", selected: ["blue"] },
    { answered: true, text: "4" },
  ] as const;
  const world = await openLoaded(t, [settingOf(program())], { answers });
  const first = await call(world, "small__ask");
  assert.equal(first.result?.output, '{"action":"accept","content":{"colour":"blue","count":4}}');
  assert.deepEqual(world.questions[0], {
    text: 'The MCP server "small" asks: Which one?\ncolour',
    options: ["red", "blue"],
  });
  const second = await call(world, "small__ask");
  assert.equal(second.result?.output, '{"action":"cancel"}');
});

test("the workdir is the root, and sampling is refused politely [C9]", async (t) => {
  const world = await openLoaded(t, [settingOf(program())]);
  const roots = JSON.parse((await call(world, "small__roots")).result?.output ?? "") as { roots: { uri: string }[] };
  assert.deepEqual(
    roots.roots.map(({ uri }) => uri),
    [`file://${world.folder}`],
  );
  const sample = JSON.parse((await call(world, "small__sample")).result?.output ?? "") as unknown;
  assert.deepEqual(sample, { code: -32_601, message: "This client does not offer that; go on without it." });
});

test("a server that says its tools have changed is asked again [C9]", async (t) => {
  let changes = 0;
  const world = await openLoaded(t, [settingOf(program())], { onChange: () => void (changes += 1) });
  await call(world, "small__grow");
  await until("the new tool", () => world.servers.tools().some(({ name }) => name === "small__grown"));
  assert.equal((await call(world, "small__grown")).result?.output, "I am new");
  assert.equal(changes, 2);
});

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  test(`a server of ${version} is spoken to in its version [C9]`, async (t) => {
    const world = await openLoaded(t, [settingOf(program(`version=${version}`))]);
    assert.equal((await call(world, "small__echo", { text: "x" })).result?.output, "you said x");
    assert.equal(world.servers.status()[0]?.protocolVersion, version);
  });
}

test("a server that knows only 2026-07-28 is spoken to without a handshake, and can ask back [C9]", async (t) => {
  const answers = [
    { answered: true, text: "red", selected: ["red"] },
    { answered: true, text: "1" },
  ] as const;
  const world = await openLoaded(t, [settingOf(program("modern"))], { answers });
  assert.equal(world.servers.status()[0]?.protocolVersion, "2026-07-28");
  assert.equal((await call(world, "small__echo", { text: "x" })).result?.output, "you said x");
  const asked = await call(world, "small__ask");
  assert.equal(asked.result?.output, '{"action":"accept","content":{"colour":"red","count":1}}kept');
});
