import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openDaemon, type Answered, type DaemonUnderTest } from "./support/daemon.ts";

const none = { authorization: "" };

function codeOf({ daemon }: DaemonUnderTest): string {
  return daemon.createLoginLink()!.split("#code=")[1]!;
}

/** The cookie, and the key that the page shows beside it. */
async function logIn(world: DaemonUnderTest): Promise<{ readonly cookie: string; readonly "x-deckhand": string }> {
  const { headers, json } = await world.ask({ path: "/api/login", body: { code: codeOf(world) }, headers: none });
  return { cookie: headers["set-cookie"]![0]!.split(";")[0]!, "x-deckhand": String(json()["page_key"]) };
}

test("a code logs a browser in once: the cookie is out of reach of scripts and other sites [G6]", async (t) => {
  const world = await openDaemon(t);
  const { ask, port } = world;
  const code = codeOf(world);
  const answer = await ask({ path: "/api/login", body: { code }, headers: none });
  const { status, headers } = answer;
  assert.equal(status, 200);
  const key = String(answer.json()["page_key"]);
  assert.match(key, /^[A-Za-z0-9_-]{43}$/);
  const [cookie, ...attributes] = headers["set-cookie"]![0]!.split("; ");
  assert.match(cookie!, new RegExp(`^deckhand_session_${port}=[A-Za-z0-9_-]{43}$`));
  assert.deepEqual(attributes, ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"]);
  const again = await ask({ path: "/api/login", body: { code }, headers: none });
  assert.equal(again.status, 401);
  assert.equal(again.headers["set-cookie"], undefined);
  const { json } = await ask({ headers: { ...none, cookie: cookie!, "x-deckhand": key } });
  assert.deepEqual(json()["rights"], ["read", "run", "approve"]);
});

test("a code for looking lets a browser read, and nothing else; also after a restart [G6]", async (t) => {
  const home = await temporaryFolder(t);
  const world = await openDaemon(t, { home });
  const made = await world.ask({ method: "POST", path: "/api/login/code?kind=looking" });
  const login = await world.ask({ path: "/api/login", body: { code: made.json()["code"] }, headers: none });
  const [cookie] = login.headers["set-cookie"]![0]!.split(";");
  const headers = { ...none, cookie: cookie!, "x-deckhand": String(login.json()["page_key"]) };
  async function assertLooking({ ask }: DaemonUnderTest): Promise<void> {
    assert.deepEqual((await ask({ headers })).json()["rights"], ["read"]);
    assert.equal((await ask({ path: "/api/calls", headers })).status, 200);
    for (const path of ["/api/tools/list_files/call", "/api/stop", "/api/login/code", "/api/jobs"]) {
      assert.equal((await ask({ method: "POST", path, body: {}, headers })).status, 403, path);
    }
  }
  await assertLooking(world);
  await world.daemon.close();
  const next = await openDaemon(t, { home, listen: { port: world.port } });
  await assertLooking(next);
  const wrong = await next.ask({ method: "POST", path: "/api/login/code?kind=king" });
  assert.equal(wrong.status, 400);
});

test("a code is good for a minute [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  const [early, late] = [codeOf(world), codeOf(world)];
  clock.advance(59_999);
  assert.equal((await world.ask({ path: "/api/login", body: { code: early }, headers: none })).status, 200);
  clock.advance(1);
  assert.equal((await world.ask({ path: "/api/login", body: { code: late }, headers: none })).status, 401);
});

test("after five wrong codes the next wrong one has to wait; the right one never does [G6]", async (t) => {
  const clock = createManualClock();
  const world = await openDaemon(t, { clock });
  const send = (code: unknown): Promise<Answered> => world.ask({ path: "/api/login", body: { code }, headers: none });
  for (const code of ["", "a", "b", "c", "d"]) assert.equal((await send(code)).status, 401, code);
  const waiting = await send("e");
  assert.deepEqual([waiting.status, waiting.headers["retry-after"]], [429, "30"]);
  const code = codeOf(world);
  assert.equal((await send(code)).status, 200);
  // Used up, it is a wrong one.
  assert.equal((await send(code)).status, 429);
  clock.advance(30_000);
  assert.equal((await send("f")).status, 401);
  assert.equal((await send(5)).status, 400);
});

test("the cookie alone, which other servers of the machine may get, lets nobody in: it takes the page's own key [G6]", async (t) => {
  const world = await openDaemon(t);
  const { ask } = world;
  const [{ cookie, "x-deckhand": key }, other] = [await logIn(world), await logIn(world)];
  assert.notEqual(other["x-deckhand"], key);
  for (const path of ["/api/status", "/api/events"]) {
    assert.equal((await ask({ path, headers: { ...none, cookie } })).status, 403, path);
    for (const wrong of ["1", other["x-deckhand"], key.slice(1)]) {
      const headers = { ...none, cookie, "x-deckhand": wrong, "sec-fetch-site": "same-origin" };
      assert.equal((await ask({ path, headers })).status, 401, `${path} ${wrong}`);
    }
  }
  assert.equal((await ask({ path: "/api/stop", body: {}, headers: { ...none, cookie } })).status, 403);
  const cut = { ...none, cookie: cookie.slice(0, -1), "x-deckhand": key };
  assert.equal((await ask({ headers: cut })).status, 401);
});

test("a browser stays logged in over a restart of the daemon, for thirty days, and its secret is in no file [G6]", async (t) => {
  const home = await temporaryFolder(t);
  const timers = createManualClock();
  let laterMs = 0;
  // A month of timers would take a while.
  const clock = { ...timers, now: () => timers.now() + laterMs };
  const first = await openDaemon(t, { home, clock });
  const login = await logIn(first);
  const file = join(first.folders.state, "daemon-logins.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, "utf8").includes(login.cookie.split("=")[1]!), false);
  await first.daemon.close();
  const second = await openDaemon(t, { home, clock, listen: { port: first.port } });
  const headers = { ...none, ...login };
  assert.equal((await second.ask({ headers })).status, 200);
  laterMs = 30 * 24 * 3600 * 1000 - 1;
  assert.equal((await second.ask({ headers })).status, 200);
  laterMs += 1;
  assert.equal((await second.ask({ headers })).status, 401);
});

test("logging out ends the session, here and in the file [G6]", async (t) => {
  const world = await openDaemon(t);
  const headers = { ...none, ...(await logIn(world)) };
  const { status, headers: answered } = await world.ask({ path: "/api/logout", body: {}, headers });
  assert.deepEqual([status, answered["set-cookie"]![0]!.includes("Max-Age=0")], [204, true]);
  assert.equal((await world.ask({ headers })).status, 401);
  assert.equal(readFileSync(join(world.folders.state, "daemon-logins.json"), "utf8").trim(), "[]");
});

test("only the person themselves can make codes, stop or restart the daemon, not a program with every right [G6]", async (t) => {
  const world = await openDaemon(t);
  const { openNamedTokens } = await import("../../src/daemon/access/named-tokens.ts");
  const token = openNamedTokens(world.folders.state).add("robot", ["read", "run", "approve"], 0);
  for (const path of ["/api/login/code", "/api/stop", "/api/restart"]) {
    const { status } = await world.ask({ path, body: {}, headers: { authorization: `Bearer ${token}` } });
    assert.equal(status, 403, path);
  }
  assert.equal((await world.ask({ path: "/api/login/code", body: {} })).status, 200);
});
