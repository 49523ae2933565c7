import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { openNamedTokens } from "../../src/daemon/access/named-tokens.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { until } from "../support/runtime.ts";
import { openDaemon, type DaemonUnderTest } from "./support/daemon.ts";
import { followEvents, type EventClient } from "./support/event-client.ts";

const beatMs = 15_000;

async function follow(
  t: TestContext,
  { port }: DaemonUnderTest,
  headers: Readonly<Record<string, string>>,
): Promise<EventClient> {
  const client = await followEvents(t, { port, headers });
  assert.equal(client.status, 200);
  return client;
}

async function logIn({ daemon, ask }: DaemonUnderTest): Promise<Readonly<Record<string, string>>> {
  const code = daemon.createLoginLink()!.split("#code=")[1]!;
  const { headers, json } = await ask({ path: "/api/login", body: { code }, headers: { authorization: "" } });
  return { cookie: headers["set-cookie"]![0]!.split(";")[0]!, "x-deckhand": String(json()["page_key"]) };
}

const beatsOf = (client: EventClient): number => client.text().split(": beat\n\n").length - 1;

test("an event stream ends at the next beat when its token was removed; those of others go on [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  const tokens = openNamedTokens(world.folders.state);
  const [gone, kept] = ["gone", "kept"].map((name) => ({ authorization: `Bearer ${tokens.add(name, ["read"], 0)}` }));
  const removed = await follow(t, world, gone!);
  const others = [await follow(t, world, kept!), await follow(t, world, { authorization: `Bearer ${world.token}` })];
  clock.advance(beatMs);
  await until("all are told", () => [removed, ...others].every((each) => beatsOf(each) === 1));
  tokens.remove("gone");
  clock.advance(beatMs);
  await removed.closed;
  await until("the others are told", () => others.every((each) => beatsOf(each) === 2));
  assert.equal(beatsOf(removed), 1);
});

test("who is turned out at a beat has made no wrong try: others are not told to wait for it [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  const tokens = openNamedTokens(world.folders.state);
  const headers = { authorization: `Bearer ${tokens.add("gone", ["read"], 0)}` };
  const clients: EventClient[] = [];
  for (let number = 0; number < 25; number++) clients.push(await follow(t, world, headers));
  tokens.remove("gone");
  clock.advance(beatMs);
  await Promise.all(clients.map(({ closed }) => closed));
  assert.equal((await world.ask({ headers: { authorization: "Bearer wrong" } })).status, 401);
});

test("an event stream ends at once when its browser logs out, and no other does [G6]", async (t) => {
  // Time stands still: no beat comes.
  const world = await openDaemon(t, { clock: createManualClock() });
  const [leaving, staying] = [await logIn(world), await logIn(world)];
  const clients = [await follow(t, world, leaving), await follow(t, world, staying)] as const;
  await world.ask({ path: "/api/logout", body: {}, headers: { ...leaving, authorization: "" } });
  await clients[0].closed;
  assert.equal(clients[1].response.destroyed, false);
  await world.ask({ path: "/api/logout", body: {}, headers: { ...staying, authorization: "" } });
  await clients[1].closed;
});

test("an event stream ends when the thirty days of its login are over [G6]", async (t) => {
  const timers = createManualClock();
  let laterMs = 0;
  const world = await openDaemon(t, { clock: { ...timers, now: () => timers.now() + laterMs } });
  const client = await follow(t, world, await logIn(world));
  laterMs = 30 * 24 * 3600 * 1000 - beatMs - 1;
  timers.advance(beatMs);
  await until("it is told", () => beatsOf(client) === 1);
  timers.advance(beatMs);
  await client.closed;
  assert.equal(beatsOf(client), 1);
});

test("a program has at most 128 requests under way; others and the person get their answers meanwhile [G6]", async (t) => {
  const world = await openDaemon(t);
  const tokens = openNamedTokens(world.folders.state);
  const [busy, other] = ["busy", "other"].map((name) => ({ authorization: `Bearer ${tokens.add(name, ["read"], 0)}` }));
  const clients = await Promise.all(Array.from({ length: 128 }, () => follow(t, world, busy!)));
  const refused = await world.ask({ headers: busy! });
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"]);
  assert.deepEqual(refused.json(), {
    error: { code: "TOO_MANY", message: "busy has 128 requests under way already; wait until one has ended." },
  });
  assert.equal((await world.ask({ headers: other! })).status, 200);
  assert.equal((await world.ask()).status, 200);
  clients[0]!.leave();
  await until("there is room", async () => (await world.ask({ headers: busy! })).status === 200);
});
