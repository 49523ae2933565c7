import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { openNamedTokens } from "../../src/daemon/access/named-tokens.ts";
import { inMode } from "../process/support.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { rootLane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { ask, openDaemon, sendRaw } from "./support/daemon.ts";

test("a wrong, missing or second Host is turned away before anything else, with and without the token [G6]", async (t) => {
  const { port, ask: asked, token } = await openDaemon(t);
  const wrong = [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1",
    "localhost",
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
    `0.0.0.0:${port}`,
    `127.0.0.1:${port}@evil.example`,
  ];
  for (const host of wrong) {
    for (const path of ["/api/status", "/healthz", "/", "/mcp"]) {
      const { status, headers } = await asked({ path, headers: { host } });
      assert.deepEqual([status, headers["www-authenticate"]], [403, undefined], `${host} ${path}`);
    }
  }
  const none = await sendRaw(t, port, `GET /healthz HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  assert.match(none, /^HTTP\/1\.1 403 /);
  const lines = ["GET /healthz HTTP/1.1", `Host: 127.0.0.1:${port}`, "Host: evil.example", "Connection: close"];
  assert.match(await sendRaw(t, port, `${lines.join("\r\n")}\r\n\r\n`), /^HTTP\/1\.1 (400|403) /);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    assert.equal((await asked({ headers: { host } })).status, 200, host);
  }
});

test("a web page of another origin gets nothing, not even with the token; the dashboard's own does [G6]", async (t) => {
  const { port, ask: asked } = await openDaemon(t);
  const origins = ["http://evil.example", "null", `https://localhost:${port}`, "http://localhost", "file://"];
  for (const origin of origins) {
    for (const path of ["/api/status", "/api/events", "/healthz", "/"]) {
      assert.equal((await asked({ path, headers: { origin } })).status, 403, `${origin} ${path}`);
    }
  }
  const forged = `evil.example:${port}`;
  assert.equal((await asked({ headers: { host: forged, origin: `http://${forged}` } })).status, 403);
  const own = await asked({ headers: { origin: `http://127.0.0.1:${port}` } });
  assert.equal(own.status, 200);
  assert.deepEqual(
    Object.keys(own.headers).filter((name) => name.startsWith("access-control")),
    [],
  );
});

test("every request of the API needs a token, in its own header and nowhere else [G6]", async (t) => {
  const { ask: asked, token } = await openDaemon(t);
  const missing = ["", "Bearer", `Basic ${token}`, token];
  const wrong = ["Bearer x", `Bearer ${token}x`, `Bearer ${token.slice(1)}`];
  for (const authorization of [...missing, ...wrong]) {
    const { status, headers, json } = await asked({ headers: { authorization } });
    assert.deepEqual([status, headers["www-authenticate"]], [401, 'Bearer realm="deckhand"'], authorization);
    const message = missing.includes(authorization)
      ? "A token is needed: send Authorization: Bearer TOKEN."
      : "This token is not known (it was removed, or is another daemon's): see `deckhand serve token`, or read daemon-token anew.";
    assert.deepEqual(json(), { error: { code: "UNAUTHORIZED", message } });
  }
  for (const name of ["token", "access_token", "authorization"]) {
    assert.equal((await asked({ path: `/api/status?${name}=${token}`, headers: { authorization: "" } })).status, 401);
  }
  assert.equal((await asked({ path: "/mcp", method: "POST", headers: { authorization: "" } })).status, 401);
  assert.equal((await asked({ path: "/api/events", headers: { authorization: "" } })).status, 401);
});

test("a path or method that does not exist is said before the token is looked at [G6]", async (t) => {
  const { ask: asked } = await openDaemon(t);
  const none = { authorization: "" };
  assert.equal((await asked({ path: "/api/nothing", headers: none })).status, 404);
  assert.equal((await asked({ path: "/api", headers: none })).status, 404);
  assert.equal((await asked({ path: "/mcp/", headers: none })).status, 404);
  const options = await asked({ method: "OPTIONS", headers: none });
  assert.deepEqual([options.status, options.headers.allow], [405, "GET"]);
  for (const method of ["PUT", "DELETE", "PATCH", "HEAD", "TRACE"]) {
    assert.equal((await asked({ method, headers: none })).status, 405, method);
  }
  assert.equal((await asked({ method: "GET", path: "/mcp", headers: none })).status, 405);
  assert.equal((await asked({ method: "POST", path: "/", headers: none })).status, 405);
});

test("what a form of a web page could send changes nothing: only JSON does [G6]", async (t) => {
  const { ask: asked } = await openDaemon(t);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
    const { status } = await asked({ path: "/api/stop", body: "{}", headers: { "content-type": type } });
    assert.equal(status, 415, type);
  }
  assert.equal((await asked({ path: "/readyz" })).json()["status"], "ready");
});

test("a WebSocket is opened for nobody, whatever its Origin [G6]", async (t) => {
  const { port, token } = await openDaemon(t);
  for (const origin of [`http://127.0.0.1:${port}`, "http://evil.example"]) {
    const lines = [
      "GET /api/events HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      `Origin: ${origin}`,
      `Authorization: Bearer ${token}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    assert.match(await sendRaw(t, port, `${lines.join("\r\n")}\r\n\r\n`), /^HTTP\/1\.1 403 /, origin);
  }
});

test("a request for another server's address, a tunnel and garbage get no answer from here [G6]", async (t) => {
  const { port, ask: asked } = await openDaemon(t);
  const host = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
  assert.match(await sendRaw(t, port, `GET http://evil.example/healthz HTTP/1.1\r\n${host}`), /^HTTP\/1\.1 400 /);
  assert.equal(await sendRaw(t, port, `CONNECT evil.example:443 HTTP/1.1\r\n${host}`), "");
  assert.match(await sendRaw(t, port, "\u0016\u0003\u0001 no HTTP at all\r\n\r\n"), /^HTTP\/1\.1 400 /);
  assert.equal((await asked()).status, 200);
});

test("it listens on 127.0.0.1 and ::1, and on no other address of this machine [G6]", async (t) => {
  const { port } = await openDaemon(t);
  const all = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .map(({ address, family, scopeid }) => (family === "IPv6" && scopeid ? `${address}%${scopeid}` : address));
  for (const host of new Set(["127.0.0.2", ...all])) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect({ host, port });
    socket.on("error", () => resolve("refused"));
    socket.on("connect", () => resolve("connected"));
    assert.equal(await promise, host === "127.0.0.1" || host === "::1" ? "connected" : "refused", host);
    socket.destroy();
  }
});

test("over a Unix socket only its owner gets in, and with the token as well [G6]", async (t) => {
  const socketPath = join(await temporaryFolder(t), "daemon.sock");
  const { token, daemon } = await openDaemon(t, { listen: { socketPath } });
  assert.equal(daemon.url, `unix:${socketPath}`);
  assert.equal(statSync(socketPath).mode & 0o777, 0o600);
  assert.equal((await ask(0, token, { socketPath })).status, 200);
  assert.equal((await ask(0, "wrong", { socketPath })).status, 401);
  assert.equal((await ask(0, token, { socketPath, headers: { host: "evil.example" } })).status, 403);
  assert.equal(daemon.createLoginLink(), null);
});

test("all that the daemon keeps is private, and no token lies open in what others may read [G6]", async (t) => {
  const { folders, token, ask: asked, daemon } = await openDaemon(t);
  const code = daemon.createLoginLink()!.split("#code=")[1]!;
  assert.equal((await asked({ path: "/api/login", body: { code }, headers: { authorization: "" } })).status, 200);
  assert.equal(statSync(folders.state).mode & 0o777, 0o700);
  const files = readdirSync(folders.state).filter((name) => name.startsWith("daemon") || name === "mcp-token");
  assert.deepEqual(files.toSorted(), ["daemon-logins.json", "daemon-token", "daemon.json", "daemon.lock", "mcp-token"]);
  for (const name of files) assert.equal(statSync(join(folders.state, name)).mode & 0o777, 0o600, name);
  for (const name of ["daemon.json", "daemon.lock", "daemon-logins.json"]) {
    assert.equal(readFileSync(join(folders.state, name), "utf8").includes(token), false, name);
  }
  assert.match(token, /^[0-9a-f]{64}$/);
});

test("a token that a tool prints is in no record [G6]", async (t) => {
  const { runtime, token, folders } = await openDaemon(t);
  const { id } = await runtime.call("bash", { command: `echo ${token}` });
  const kept = await runtime.get(id);
  assert.equal(JSON.stringify(kept).includes(token), false);
  await runtime.close();
  assert.equal(readFileSync(join(folders.logs, "chat_log.jsonl"), "utf8").includes(token), false);
});

/** Says which of its ways led to a token. The mask would hide what one of them printed, so they only say that they did. */
const thief = `
token='^[0-9a-f]{64}$'
try() { "$@" 2>/dev/null | grep -qE "$token" && echo "got it by: $*"; }
for name in daemon-token mcp-token; do
  try cat "$1/$name"
  try cat "/proc/$2/root$1/$name"
  ln -s "$1/$name" "link-$name" && try cat "link-$name"
  ln "$1/$name" "hard-$name" 2>/dev/null && try cat "hard-$name"
  find . "$1" -name "$name" 2>/dev/null | grep -q . && echo "found $name"
done
env | tr '=' '\\n' | grep -qE "$token" && echo "got it from the environment"
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0=' '\\n' | grep -qE "$token" && echo "got it from a process"
cat "$1"/daemon-tokens.json 2>/dev/null && echo "got the digests"
echo done
`;

test(
  "a tool of the daemon can't read its tokens, by their path or any other way [G6]",
  inMode("require"),
  async (t) => {
    const { runtime, folders } = await openDaemon(t, { config: { settings: { sandbox: { mode: "require" } } } });
    openNamedTokens(folders.state).add("robot", ["read"], 0);
    await writeFile(join(folders.workdir, "thief.sh"), thief);
    const command = `sh thief.sh ${folders.state} ${process.pid}`;
    const { state, result, error } = await runtime.call("bash", { command });
    assert.deepEqual([state, result?.output, error], ["completed", "done\n", null]);
    // The same ways lead there for whoever is not in the sandbox.
    const outside = spawn("/bin/sh", ["thief.sh", folders.state, String(process.pid)], { cwd: folders.workdir });
    let said = "";
    outside.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
    await once(outside, "close");
    for (const name of ["daemon-token", "mcp-token"]) {
      assert.ok(said.includes(`got it by: cat ${join(folders.state, name)}\n`), said);
    }
  },
);

test("file tools don't show an agent the tokens, nor let it grant itself anything, with the state inside the workdir [G6 G1]", async (t) => {
  const { runtime, folders } = await openDaemon(t, {
    config: { settings: { permissions: { mode: "accept-edits", unattended: "refuse" } } },
  });
  assert.ok(folders.state.startsWith(`${folders.workdir}/`));
  const refused = async (tool: string, input: object): Promise<void> => {
    const { state, errorType, result } = await runtime.call(tool, input, { door: "agent" });
    assert.deepEqual([state, errorType, result], ["cancelled", "denied", null], tool);
  };
  for (const name of ["daemon-token", "mcp-token"]) await refused("read", { file_path: join(folders.state, name) });
  const search = { pattern: "^[0-9a-f]{64}$", path: folders.state };
  await refused("grep", search);
  for (const path of [folders.grants, folders.trust, join(folders.state, "daemon-tokens.json")]) {
    await refused("write", { file_path: path, content: "[]" });
  }
});

test("another user of this machine can neither read the token nor open the socket [G6]", rootLane(), async (t) => {
  const folder = await temporaryFolder(t);
  chmodSync(folder, 0o755);
  const socketPath = join(folder, "daemon.sock");
  const { folders } = await openDaemon(t, { listen: { socketPath } });
  // Whoever may write to a socket may connect to it.
  const script = 'cat "$1" 2>/dev/null && echo read; [ -S "$2" ] && echo there; [ -w "$2" ] && echo writable; true';
  const paths = [join(folders.state, "daemon-token"), socketPath];
  const child = spawn("/bin/sh", ["-c", script, "sh", ...paths], { uid: 65_534, gid: 65_534, cwd: "/" });
  let said = "";
  child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
  const [code] = (await once(child, "close")) as [number];
  assert.deepEqual([code, said], [0, "there\n"]);
});

test("wrong tokens, again and again, have to wait; the right one never does [G6]", async (t) => {
  const clock = createManualClock();
  const { ask: asked } = await openDaemon(t, { clock });
  const wrong = async (): Promise<number> => (await asked({ headers: { authorization: "Bearer wrong" } })).status;
  const statuses: number[] = [];
  for (let tries = 0; tries < 22; tries++) statuses.push(await wrong());
  assert.deepEqual(statuses, [...Array<number>(20).fill(401), 429, 429]);
  assert.equal((await asked()).status, 200);
  assert.equal((await asked({ headers: { authorization: "" } })).status, 401);
  clock.advance(10_000);
  assert.equal(await wrong(), 401);
});
