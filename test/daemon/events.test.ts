import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import test, { type TestContext } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { openRuntime, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openDaemon, type DaemonUnderTest } from "./support/daemon.ts";
import { followEvents, type EventClient } from "./support/event-client.ts";

function follow(
  t: TestContext,
  world: DaemonUnderTest,
  given: { lastId?: string; query?: string } = {},
): Promise<EventClient> {
  const { port, token } = world;
  const lastId: Record<string, string> = given.lastId === undefined ? {} : { "last-event-id": given.lastId };
  const headers = { authorization: `Bearer ${token}`, ...lastId };
  return followEvents(t, { port, headers, ...(given.query === undefined ? {} : { query: given.query }) });
}

async function callEcho({ runtime }: DaemonUnderTest, text: string): Promise<string> {
  return (await runtime.call("bash", { command: `echo ${text}` })).id;
}

/** The hashes of all lines that are in the log now. */
function linesOf({ folders }: DaemonUnderTest): string[] {
  const text = readFileSync(`${folders.logs}/chat_log.jsonl`, "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => String((JSON.parse(line) as Record<string, unknown>)["hash"]));
}

const hashesOf = (client: EventClient): string[] => client.of("log").map(({ data }) => String(data["hash"]));

test("a call is seen live: its lines of the log with ids, its output, and what changed [E9, D6]", async (t) => {
  const world = await openDaemon(t);
  const client = await follow(t, world);
  assert.equal(client.status, 200);
  assert.equal(client.response.headers["content-type"], "text/event-stream; charset=utf-8");
  const id = await callEcho(world, "hello");
  await until("the result", () => client.of("log").some(({ data }) => data["type"] === "tool_result"));
  assert.match(client.text(), /^retry: 1000\n\n/);
  const lines = client.of("log").filter(({ data }) => data["id"] === id);
  assert.deepEqual(
    lines.map(({ data }) => data["type"]).filter((type) => String(type).startsWith("tool_")),
    ["tool_call", "tool_result"],
  );
  for (const line of client.of("log")) assert.match(line.id!, /^1:\d+$/);
  const output = client.of("progress").filter(({ data }) => data["execution_id"] === id);
  assert.equal(output.map(({ data }) => data["text"]).join(""), "hello\n");
  assert.equal(output[0]!.id, null);
  const topics = new Set(client.of("changed").map(({ data }) => data["topic"]));
  assert.ok(topics.has("calls"), [...topics].join());
});

test("a client that comes back with its last id gets what it missed, and nothing twice [D6]", async (t) => {
  const world = await openDaemon(t);
  const first = await follow(t, world);
  await callEcho(world, "one");
  await until("the first", () => first.of("log").some(({ data }) => data["type"] === "tool_result"));
  first.leave();
  await first.closed;
  await callEcho(world, "two");
  const seen = first.of("log");
  for (const query of [false, true]) {
    const lastId = seen.at(-1)!.id!;
    const second = await follow(t, world, query ? { query: `?after=${lastId}` } : { lastId });
    await until(
      "the rest",
      () => hashesOf(first).length + hashesOf(second).length >= linesOf(world).length - skipped(first, world),
    );
    assert.deepEqual([...hashesOf(first), ...hashesOf(second)], linesOf(world).slice(skipped(first, world)));
    assert.deepEqual(second.of("reset"), []);
  }
});

/** Lines that were there before it came. */
function skipped(client: EventClient, world: DaemonUnderTest): number {
  return linesOf(world).indexOf(hashesOf(client)[0]!);
}

test("over restarts of the daemon nothing is lost and nothing comes twice [D2, D6]", async (t) => {
  const home = await temporaryFolder(t);
  const got: string[] = [];
  let lastId: string | undefined;
  let world!: DaemonUnderTest;
  for (let round = 0; round < 3; round++) {
    world = await openDaemon(t, { home });
    const client = await follow(t, world, lastId === undefined ? {} : { lastId });
    await callEcho(world, `round${round}`);
    await until("its result", () => hashesOf(client).includes(linesOf(world).at(-1)!));
    // What is written while it goes down is for the next one.
    await world.daemon.close();
    await client.closed;
    got.push(...hashesOf(client));
    lastId = client.of("log").at(-1)!.id!;
  }
  const last = await openDaemon(t, { home });
  const client = await follow(t, last, { lastId: lastId! });
  await callEcho(last, "end");
  await until("the end", () => hashesOf(client).includes(linesOf(last).at(-1)!));
  got.push(...hashesOf(client));
  const all = linesOf(last);
  assert.deepEqual(got, all.slice(all.indexOf(got[0]!)));
});

test("an id that is unknown is answered with reset, and then what is new [D6]", async (t) => {
  const world = await openDaemon(t);
  await callEcho(world, "before");
  for (const lastId of ["7:0", "1:5", "1:99999999", "garbage", "-1:0", "1:0:0", "9".repeat(40)]) {
    const client = await follow(t, world, { lastId });
    await until("the reset", () => client.of("reset").length === 1);
    const id = await callEcho(world, "after");
    await until("what is new", () => client.of("log").some(({ data }) => data["id"] === id));
    client.leave();
  }
});

test("an empty id is none at all, and a parameter that means nothing is refused [D6]", async (t) => {
  const world = await openDaemon(t);
  await callEcho(world, "before");
  for (const given of [{ query: "?after=" }, { lastId: "" }]) {
    const client = await follow(t, world, given);
    const id = await callEcho(world, "after");
    await until("what is new", () => client.of("log").some(({ data }) => data["id"] === id));
    assert.deepEqual(client.of("reset"), []);
    client.leave();
  }
  const { status, json } = await world.ask({ path: "/api/events?afer=1:0" });
  const error = { code: "BAD_REQUEST", message: '"afer" is no parameter here. Did you mean after?' };
  assert.deepEqual([status, json()], [400, { error }]);
});

test("when the log is taken away, clients are told to begin anew [D6]", async (t) => {
  const world = await openDaemon(t);
  const client = await follow(t, world);
  await callEcho(world, "one");
  await until("a line of it", () => client.of("log").length > 0);
  rmSync(`${world.folders.logs}/chat_log.jsonl`);
  await until("the reset", () => client.of("reset").length === 1);
  await callEcho(world, "two");
  await until("the new log", () => client.of("log").some(({ data }) => data["type"] === "tool_result"));
});

test("a reader that takes nothing is cut off, and the others get everything [D6]", async (t) => {
  const world = await openDaemon(t);
  const { port, token } = world;
  const slow = connect(port, "127.0.0.1");
  afterTest(t, () => Promise.resolve(slow.destroy()));
  slow.on("error", () => undefined);
  slow.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(slow, "readable");
  slow.pause();
  const quick = await follow(t, world);
  const sockets = (): number => process.getActiveResourcesInfo().filter((each) => each === "TCPSocketWrap").length;
  const before = sockets();
  // Far more than the buffers of the system take.
  const text = "z".repeat(60_000);
  let last = "";
  await until(
    "it is cut off",
    async () => {
      for (let each = 0; each < 20; each++) last = (await world.runtime.call("read", { file_path: `/${text}` })).id;
      return sockets() < before;
    },
    60_000,
  );
  await until("the quick one has all", () =>
    quick.of("log").some(({ data }) => data["id"] === last && data["type"] !== "tool_call"),
  );
});

test("a thousand reconnects leave no listener, no stream and no file open [D6]", async (t) => {
  const world = await openDaemon(t);
  await callEcho(world, "something");
  const known = await follow(t, world);
  await callEcho(world, "more");
  await until("an id", () => known.of("log").length > 0);
  const lastId = known.of("log")[0]!.id!;
  known.leave();
  const resources = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const each of process.getActiveResourcesInfo()) {
      if (/Socket|FSReq|FileHandle|Pipe/.test(each)) counts[each] = (counts[each] ?? 0) + 1;
    }
    return counts;
  };
  await until("it is gone", () => (resources()["TCPSocketWrap"] ?? 0) === 0);
  const before = resources();
  for (let round = 0; round < count({ quick: 340, full: 3400 }); round++) {
    const ways = [{}, { lastId }, { lastId: "99:0" }];
    const clients = await Promise.all(ways.map((way) => follow(t, world, way)));
    for (const client of clients) client.leave();
    await Promise.all(clients.map(({ closed }) => closed));
  }
  await until("all are gone", () => JSON.stringify(resources()) === JSON.stringify(before));
  assert.equal((await world.ask({ path: "/api/status" })).status, 200);
});

test("there are at most 256 streams, and one more gets a sentence; when one leaves there is room [D6]", async (t) => {
  const world = await openDaemon(t);
  const clients = await Promise.all(Array.from({ length: 256 }, () => follow(t, world)));
  const { status, json } = await world.ask({ path: "/api/events" });
  assert.deepEqual([status, Object(json()["error"]).code], [503, "TOO_MANY_STREAMS"]);
  clients[0]!.leave();
  await until("there is room", async () => (await follow(t, world)).status === 200);
});

test("a topic is told at once and then four times a second at most, whatever happens [D6]", async (t) => {
  const world = await openDaemon(t);
  const client = await follow(t, world);
  const began = performance.now();
  for (let each = 0; each < 60; each++) await world.runtime.call("list_files", {});
  await until(
    "the last is told",
    () => client.of("log").filter(({ data }) => data["type"] === "tool_result").length === 60,
  );
  const told = client.of("changed").filter(({ data }) => data["topic"] === "calls").length;
  const most = (performance.now() - began) / 250 + 2;
  assert.ok(told >= 1 && told <= most, `${told} of at most ${most}`);
});

test("the page opens the stream with its cookie and its key [G6]", async (t) => {
  const world = await openDaemon(t);
  const code = world.daemon.createLoginLink()!.split("#code=")[1]!;
  const { headers, json } = await world.ask({ path: "/api/login", body: { code }, headers: { authorization: "" } });
  const cookie = headers["set-cookie"]![0]!.split(";")[0]!;
  const key = String(json()["page_key"]);
  const client = await followEvents(t, { port: world.port, headers: { cookie, "x-deckhand": key } });
  assert.equal(client.status, 200);
  client.leave();
});

test("what another process does in the same workdir is told as well, also where the journal is silent [D6]", async (t) => {
  const world = await openDaemon(t);
  const client = await follow(t, world);
  const other = await openRuntime(t, { home: world.folders.workdir });
  const call = await other.call("list_files");
  await until("its lines", () =>
    client.of("log").some(({ data }) => data["id"] === call.id && data["type"] === "tool_result"),
  );
  const before = client.of("changed").filter(({ data }) => data["topic"] === "jobs").length;
  const schedule = await other.schedule();
  await schedule.add({ name: "nightly", cron: "0 3 * * *", tool: "list_files" }, { by: "me" });
  await until(
    "a job has changed",
    () => client.of("changed").filter(({ data }) => data["topic"] === "jobs").length > before,
  );
});
