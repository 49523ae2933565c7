import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findMcpSecrets } from "../../../src/mcp/client/server-setting.ts";
import { openRuntime } from "../../support/runtime.ts";
import { serverFile, settingOf } from "./support.ts";

const key = "mcp-9f8e7d6c5b4a3210";

test("a result that is too large to be read goes into a file, masked, and the result says which [C9]", async (t) => {
  const runtime = await openRuntime(t, {
    settings: {
      sandbox: "off",
      mcpServers: { small: { command: process.execPath, args: [serverFile], env: { SECRET_OF_SERVER: key } } },
    },
  });
  const lines = 40_000;
  const { id, state, result, outputBytes } = await runtime.call("small__large", { lines });
  assert.equal(state, "completed");
  const file = join(runtime.workdir, ".deckhand", "outputs", `${id}.result.txt`);
  assert.deepEqual(result?.files, [file]);
  const kept = await readFile(file, "utf8");
  assert.deepEqual([kept.split("\n").length, Buffer.byteLength(kept)], [lines, outputBytes]);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.ok(result.output!.length < 40_000);
  assert.match(result.output!, /^line 0 of a result\n/);
  assert.match(result.output!, /\nline 39999 of a result\n\[The whole result, \d+ kB: .*\]$/);

  const small = await runtime.call("small__large", { lines: 3 });
  assert.deepEqual([small.result?.output?.split("\n").length, small.result?.files], [3, undefined]);
});

test("secrets that stand in the settings of a server are masked wherever they turn up [C9]", async (t) => {
  const runtime = await openRuntime(t, {
    settings: {
      sandbox: "off",
      mcpServers: { small: { command: process.execPath, args: [serverFile], env: { SECRET_OF_SERVER: key } } },
    },
  });
  const { id, result } = await runtime.call("small__environment", { name: "SECRET_OF_SERVER" });
  assert.equal(result?.output, key);
  const recorded = JSON.stringify(await runtime.get(id));
  assert.ok(!recorded.includes(key), recorded);
  assert.match(runtime.maskText(`sent ${key}`), /^sent \[MASKED:/);
});

test("headers, variables, options and links are looked through for secrets, by their names [C9]", () => {
  const http = (url: string, headers: Record<string, string> = {}) => settingOf({ kind: "http", url, headers });
  const stdio = (args: readonly string[], env: Record<string, string> = {}) =>
    settingOf({ kind: "stdio", command: "x", args, env, cwd: null });
  const env = { MINE: key };
  const found = [
    http("https://example.com", { Authorization: `Bearer ${key}` }),
    http("https://example.com", { Authorization: "Bearer ${MINE}" }),
    http("https://example.com", { "X-Api-Key": key }),
    http(`https://example.com/?api_key=${key}`),
    http(`https://kim:${key}@example.com/`),
    stdio(["--api-key", key]),
    stdio([`--token=${key}`]),
    stdio([], { SERVER_TOKEN: key }),
  ].map((setting) => findMcpSecrets(setting, env).includes(key));
  assert.deepEqual(found, Array(8).fill(true));
  assert.deepEqual(findMcpSecrets(stdio(["-y", "package", "--port", "12345678"], { LANG: "en_GB.UTF-8" }), env), []);
  assert.deepEqual(findMcpSecrets(http("https://example.com/path", { Accept: "application/json" }), env), []);
});
