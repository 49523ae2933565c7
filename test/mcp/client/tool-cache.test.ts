import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openToolCache } from "../../../src/mcp/client/tool-cache.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openWorld, patienceMs, program, settingOf } from "./support.ts";

test("the tools of a server that was used before are there without starting it, and a call starts it [C9]", async (t) => {
  const folder = await temporaryFolder(t);
  const cache = openToolCache(folder, Date.now);
  const settings = [settingOf(program(`log=${folder}/starts`))];
  const first = await openWorld(t, settings, { cache });
  assert.deepEqual(first.servers.tools(), []);
  await first.servers.load(patienceMs);
  const names = first.servers.tools().map(({ name }) => name);
  await first.servers.close();

  const second = await openWorld(t, settings, { cache });
  assert.deepEqual(
    second.servers.tools().map(({ name }) => name),
    names,
  );
  await second.servers.load(patienceMs);
  assert.equal(second.servers.status()[0]?.state, "idle");
  const { result } = await second.engine().engine.call({ tool: "small__echo", input: { text: "late" } });
  assert.deepEqual(result, { ok: true, output: "you said late" });
  assert.equal(second.servers.status()[0]?.state, "ready");
});

test("another configuration is another server, and a damaged file is nothing known [C9]", async (t) => {
  const folder = await temporaryFolder(t);
  const cache = openToolCache(folder, Date.now);
  const setting = settingOf(program());
  const list = { tools: [{ name: "a", description: "", inputSchema: { type: "object" }, hints: {} }], leftOut: [] };
  cache.write(setting, list);
  assert.deepEqual(cache.read(setting), list);
  assert.equal(cache.read(settingOf(program("noisy"))), undefined);
  const [file] = readdirSync(folder);
  for (const damage of ["{", "[]", '{"format":1,"tools":[{}],"leftOut":[]}', '{"format":99,"tools":[],"leftOut":[]}']) {
    writeFileSync(join(folder, file!), damage);
    assert.equal(cache.read(setting), undefined, damage);
  }
});
