import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openDaemon, type DaemonUnderTest } from "./support/daemon.ts";

const none = { authorization: "" };

function codeOf({ daemon }: DaemonUnderTest): string {
  return daemon.createLoginLink()!.split("#code=")[1]!;
}

async function logIn(world: DaemonUnderTest): Promise<string> {
  const { headers } = await world.ask({ path: "/api/login", body: { code: codeOf(world) }, headers: none });
  return headers["set-cookie"]![0]!.split(";")[0]!;
}

test("a code logs a browser in once: the cookie is out of reach of scripts and other sites [G6]", async (t) => {
  const world = await openDaemon(t);
  const { ask, port } = world;
  const code = codeOf(world);
  const { status, headers, body } = await ask({ path: "/api/login", body: { code }, headers: none });
  assert.deepEqual([status, body], [204, ""]);
  const [cookie, ...attributes] = headers["set-cookie"]![0]!.split("; ");
  assert.match(cookie!, new RegExp(`^deckhand_session_${port}=[A-Za-z0-9_-]{43}$`));
  assert.deepEqual(attributes, ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"]);
  const again = await ask({ path: "/api/login", body: { code }, headers: none });
  assert.equal(again.status, 401);
  assert.equal(again.headers["set-cookie"], undefined);
  const { json } = await ask({ headers: { ...none, cookie: cookie!, "x-deckhand": "1" } });
  assert.deepEqual(json()["rights"], ["read", "run", "approve"]);
});

test("a code is good for a minute [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  const [early, late] = [codeOf(world), codeOf(world)];
  clock.advance(59_999);
  assert.equal((await world.ask({ path: "/api/login", body: { code: early }, headers: none })).status, 204);
  clock.advance(1);
  assert.equal((await world.ask({ path: "/api/login", body: { code: late }, headers: none })).status, 401);
});

test("after five wrong codes everybody waits, also with the right one [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  for (const code of ["", "a", "b", "c", "d"]) {
    assert.equal((await world.ask({ path: "/api/login", body: { code }, headers: none })).status, 401, code);
  }
  const code = codeOf(world);
  const waiting = await world.ask({ path: "/api/login", body: { code }, headers: none });
  assert.deepEqual([waiting.status, waiting.headers["retry-after"]], [429, "30"]);
  clock.advance(30_000);
  assert.equal((await world.ask({ path: "/api/login", body: { code }, headers: none })).status, 204);
  assert.equal((await world.ask({ path: "/api/login", body: { code: 5 }, headers: none })).status, 400);
});

test("the cookie alone lets nobody do anything, and read only the event stream of the page itself [G6]", async (t) => {
  const world = await openDaemon(t);
  const cookie = await logIn(world);
  const { ask } = world;
  assert.equal((await ask({ headers: { ...none, cookie } })).status, 403);
  assert.equal((await ask({ path: "/api/stop", body: {}, headers: { ...none, cookie } })).status, 403);
  assert.equal(
    (await ask({ path: "/api/stop", body: {}, headers: { ...none, cookie, "x-deckhand": "2" } })).status,
    403,
  );
  for (const site of ["cross-site", "same-site", "none"]) {
    const { status } = await ask({ path: "/api/events", headers: { ...none, cookie, "sec-fetch-site": site } });
    assert.equal(status, 403, site);
  }
  const wrong = cookie.slice(0, -1);
  assert.equal((await ask({ headers: { ...none, cookie: wrong, "x-deckhand": "1" } })).status, 401);
});

test("a browser stays logged in over a restart of the daemon, for thirty days, and its secret is in no file [G6]", async (t) => {
  const home = await temporaryFolder(t);
  const clock = createManualClock();
  const first = await openDaemon(t, { home, clock });
  const cookie = await logIn(first);
  const file = join(first.folders.state, "daemon-logins.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, "utf8").includes(cookie.split("=")[1]!), false);
  await first.daemon.close();
  const second = await openDaemon(t, { home, clock, listen: { port: first.port } });
  const headers = { ...none, cookie, "x-deckhand": "1" };
  assert.equal((await second.ask({ headers })).status, 200);
  clock.advance(30 * 24 * 3600 * 1000);
  assert.equal((await second.ask({ headers })).status, 401);
});

test("logging out ends the session, here and in the file [G6]", async (t) => {
  const world = await openDaemon(t);
  const cookie = await logIn(world);
  const headers = { ...none, cookie, "x-deckhand": "1" };
  const { status, headers: answered } = await world.ask({ path: "/api/logout", body: {}, headers });
  assert.deepEqual([status, answered["set-cookie"]![0]!.includes("Max-Age=0")], [204, true]);
  assert.equal((await world.ask({ headers })).status, 401);
  assert.equal(readFileSync(join(world.folders.state, "daemon-logins.json"), "utf8").trim(), "[]");
});

test("only the person themselves can make codes or stop the daemon, not a program with every right [G6]", async (t) => {
  const world = await openDaemon(t);
  const { openNamedTokens } = await import("../../src/daemon/access/named-tokens.ts");
  const token = openNamedTokens(world.folders.state).add("robot", ["read", "run", "approve"], 0);
  for (const path of ["/api/login/code", "/api/stop"]) {
    const { status } = await world.ask({ path, body: {}, headers: { authorization: `Bearer ${token}` } });
    assert.equal(status, 403, path);
  }
  assert.equal((await world.ask({ path: "/api/login/code", body: {} })).status, 200);
});
