import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfiguration } from "../../src/config/load-configuration.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("a folder's own settings only narrow what web tools may reach, until it is trusted [G5]", async (t) => {
  const workdir = await temporaryFolder(t);
  const wide = {
    allow_hosts: ["10.0.0.1"],
    allow_private: true,
    proxy: "trust",
    timeout_ms: 60_000,
    max_bytes: 50_000_000,
    search: { searxng_url: "https://search.example" },
  };
  const load = async (web: object, isTrusted: boolean): Promise<ReturnType<typeof loadConfiguration>> => {
    await writeFile(join(workdir, "deckhand.json"), JSON.stringify({ tools: { web } }));
    return loadConfiguration({ workdir, env: isolatedEnvironment(workdir), overrides: {}, isTrusted: () => isTrusted });
  };
  const defaults = {
    allowHosts: [],
    allowPrivate: false,
    proxy: "refuse",
    timeoutMs: 20_000,
    maxBytes: 5_242_880,
    searxngUrl: null,
  };
  const stranger = await load(wide, false);
  assert.deepEqual(stranger.configuration.tools.web, defaults);
  for (const key of Object.keys(wide)) assert.match(stranger.warnings.join(), new RegExp(`tools\\.web\\.${key}`));

  const trusted = await load(wide, true);
  assert.deepEqual(trusted.configuration.tools.web, {
    allowHosts: ["10.0.0.1"],
    allowPrivate: true,
    proxy: "trust",
    timeoutMs: 60_000,
    maxBytes: 50_000_000,
    searxngUrl: "https://search.example",
  });
  const narrow = await load({ timeout_ms: 5000, max_bytes: 2048, allow_private: false, proxy: "refuse" }, false);
  assert.deepEqual(narrow.configuration.tools.web, { ...defaults, timeoutMs: 5000, maxBytes: 2048 });
  assert.deepEqual(narrow.warnings, []);
});

test("wrong web settings are named with what was expected", async (t) => {
  const workdir = await temporaryFolder(t);
  const cases: [web: object, error: RegExp][] = [
    [{ allow_host: ["a"] }, /"tools\.web\.allow_host" is not a setting; did you mean "allow_hosts"\?/],
    [{ max_bytes: 1 }, /tools\.web\.max_bytes/],
    [{ proxy: "maybe" }, /tools\.web\.proxy/],
    [{ search: { searxng_url: "file:///etc" } }, /tools\.web\.search\.searxng_url/],
  ];
  for (const [web, error] of cases) {
    const overrides = { tools: { web } };
    const load = (): unknown =>
      loadConfiguration({ workdir, env: isolatedEnvironment(workdir), overrides, isTrusted: () => true });
    assert.throws(load, { code: "CONFIG_INVALID", message: error });
  }
});
