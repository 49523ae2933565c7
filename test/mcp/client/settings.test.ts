import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { createCatalog, type Catalog } from "../../../src/engine/catalog.ts";
import { openTrust } from "../../../src/permissions/trust/trust.ts";
import { createProcesses } from "../../../src/process/processes.ts";
import { diagnose } from "../../../src/doctor/diagnose.ts";
import { locateFolders } from "../../../src/config/folders.ts";
import { loadConfiguration, type LoadedConfiguration } from "../../../src/config/load-configuration.ts";
import { openMcpServers, type OpenedMcpServers } from "../../../src/runtime/open-mcp-servers.ts";
import { createTrust } from "../../../src/permissions/trust/open-trust.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { serverFile } from "./support.ts";

interface Place {
  readonly workdir: string;
  readonly env: Record<string, string>;
  write(file: string, content: unknown): void;
  load(): LoadedConfiguration;
  open(): Promise<{ readonly servers: OpenedMcpServers; readonly catalog: Catalog }>;
}

async function openPlace(t: TestContext): Promise<Place> {
  const home = await temporaryFolder(t);
  const workdir = join(home, "project");
  mkdirSync(workdir);
  const env = isolatedEnvironment(home);
  const folders = locateFolders(workdir, env);
  const trust = openTrust({ workdir, path: folders.trust, toolFolders: [], now: Date.now });
  const load = (): LoadedConfiguration =>
    loadConfiguration({ workdir, env, overrides: {}, isTrusted: (file) => trust.isTrusted(file) });
  return {
    workdir,
    env,
    load,
    write(file, content) {
      const path = join(workdir, file);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    },
    async open() {
      const processes = createProcesses({
        runFolder: join(home, "run"),
        clock: systemClock,
        sandbox: "off",
        graceMs: 200,
      });
      afterTest(t, () => processes.close());
      const catalog = createCatalog([]);
      const servers = await openMcpServers({
        configuration: load().configuration,
        workdir,
        stateFolder: folders.state,
        isKept: true,
        catalog,
        processes,
        clock: systemClock,
        env,
        childEnv: { PATH: env["PATH"]! },
      });
      afterTest(t, () => servers.close());
      return { servers, catalog };
    },
  };
}

const small = { command: process.execPath, args: [serverFile] };

test("servers of the person's own settings and of files they trust are there, each by its name [C9]", async (t) => {
  const place = await openPlace(t);
  mkdirSync(join(place.env["XDG_CONFIG_HOME"]!, "deckhand"), { recursive: true });
  const mine = { mcpServers: { mine: small, both: { command: "theirs" } } };
  writeFileSync(join(place.env["XDG_CONFIG_HOME"]!, "deckhand", "deckhand.json"), JSON.stringify(mine));
  place.write("deckhand.json", { mcpServers: { project: small } });
  place.write(".mcp.json", {
    mcpServers: { shared: { ...small, alwaysAllow: ["x"] }, both: { url: "https://a.example/" } },
  });

  const before = place.load();
  assert.deepEqual(Object.keys(before.configuration.mcpServers), ["mine", "both"]);
  assert.equal(before.configuration.mcpServers["both"]?.command, "theirs");
  assert.equal(before.warnings.length, 2);
  assert.match(
    before.warnings[0]!,
    /\.mcp\.json names MCP servers \("shared", "both"\), which are not started before you trust it/,
  );
  assert.match(before.warnings[1]!, /deckhand\.json sets mcpServers, which a folder may only do when you trust it/);

  createTrust(place.workdir, place.env).grant("me", { files: ["deckhand.json", ".mcp.json"], quarantined: [] });
  const after = place.load();
  assert.deepEqual(
    [Object.keys(after.configuration.mcpServers), after.warnings],
    [["mine", "both", "shared", "project"], []],
  );
  assert.equal(after.configuration.mcpServers["both"]?.url, "https://a.example/");
});

test("a script that a trusted file starts is trusted by its content as well; what it works on is not [C9]", async (t) => {
  const place = await openPlace(t);
  place.write(".mcp.json", { mcpServers: { own: { command: "node", args: ["server.mjs", "data.db"], cwd: "sub" } } });
  place.write("sub/server.mjs", "// first");
  place.write("sub/data.db", "rows");
  const trust = createTrust(place.workdir, place.env);
  assert.deepEqual(
    trust.files().map(({ path }) => path),
    [".mcp.json", "sub/server.mjs"],
  );
  trust.grant("me", { files: [".mcp.json", "sub/server.mjs"], quarantined: [] });
  assert.deepEqual(Object.keys(place.load().configuration.mcpServers), ["own"]);
  place.write("sub/data.db", "more rows");
  assert.deepEqual(Object.keys(place.load().configuration.mcpServers), ["own"]);
  place.write("sub/server.mjs", "// second");
  assert.deepEqual(Object.keys(place.load().configuration.mcpServers), []);
  assert.match(place.load().warnings[0]!, /look at sub\/server\.mjs/);
});

test("a wrong entry is told with its key and the way out; of .mcp.json the other servers stay [C9]", async (t) => {
  const place = await openPlace(t);
  const wrong = (entry: unknown): string => {
    place.write("deckhand.json", { mcpServers: { it: entry } });
    try {
      place.load();
      return "";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  assert.match(wrong({}), /mcpServers\.it: expected either "command", for a program, or "url"/);
  assert.match(wrong({ command: "a", url: "b" }), /expected either "command"/);
  assert.match(wrong({ type: "http", command: "a" }), /"type" is "http", which does not fit to "command"/);
  assert.match(wrong({ command: "a", arg: [] }), /"mcpServers\.it\.arg" is not a setting/);
  place.write("deckhand.json", {});
  place.write(".mcp.json", { mcpServers: { good: small, bad: { args: [] } } });
  createTrust(place.workdir, place.env).grant("me", { files: [".mcp.json"], quarantined: [] });
  const { configuration, warnings } = place.load();
  assert.deepEqual(Object.keys(configuration.mcpServers), ["good"]);
  assert.match(warnings[0]!, /the server "bad" is left out: expected either "command"/);
  place.write(".mcp.json", "{ not json");
  assert.match(place.load().warnings[0]!, /\.mcp\.json can't be read, so its MCP servers are not there/);
});

test("tools join the catalog when they are known, and only a name that could be one of theirs starts a server [C9]", async (t) => {
  const place = await openPlace(t);
  place.write("deckhand.json", {
    mcpServers: { small, off: { ...small, disabled: true } },
    tools: { disabled: ["small__sum"] },
  });
  createTrust(place.workdir, place.env).grant("me", { files: ["deckhand.json"], quarantined: [] });
  const { servers, catalog } = await place.open();
  assert.deepEqual(
    servers.status().map(({ name, state }) => [name, state]),
    [["small", "idle"]],
  );
  assert.equal(servers.prepareFor("read"), undefined);
  assert.equal(servers.prepareFor("other__echo"), undefined);
  await servers.prepareFor("small__echo");
  assert.equal(catalog.resolve("small__echo")?.traits.category, "mcp:small");
  assert.equal(catalog.resolve("small__sum"), undefined);
  assert.equal(servers.load(), undefined);
  assert.match(servers.warnings()[0]!, /^MCP server "small": The tool "huge" is left out/);
  await servers.close();

  const again = await place.open();
  assert.equal(again.catalog.resolve("small__echo")?.name, "small__echo");
  assert.equal(again.servers.status()[0]?.state, "idle");
});

test("doctor says of each server what works [C9]", async (t) => {
  const place = await openPlace(t);
  const missing = { command: "no-such-program" };
  place.write("deckhand.json", { mcpServers: { small, missing }, sandbox: "off" });
  createTrust(place.workdir, place.env).grant("me", { files: ["deckhand.json"], quarantined: [] });
  const checks = await diagnose({ workdir: place.workdir, env: place.env });
  const told = checks.filter(({ name }) => name.startsWith("mcp "));
  assert.deepEqual(
    told.map(({ name, state }) => [name, state]),
    [
      ["mcp small", "warning"],
      ["mcp missing", "problem"],
    ],
  );
  assert.match(told[0]!.what, /^16 tools over MCP 2025-11-25 \(.*node\)\. The tool "huge" is left out/);
  assert.match(told[1]!.what, /could not be started: The program "no-such-program" was not found/);
});
