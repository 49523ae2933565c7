import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine, type Machine } from "./run-deckhand.ts";

const server = join(import.meta.dirname, "..", "fixtures", "mcp", "server.ts");

/** Servers that the person named for all workdirs. */
async function configure({ env }: Machine, mcpServers: unknown): Promise<void> {
  const folder = join(env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ sandbox: "off", mcpServers }));
}

test("tools shows the tools of MCP servers with their server and its state, and why one does not work [C9 C6]", async (t) => {
  const machine = await openMachine(t);
  await configure(machine, {
    small: { command: process.execPath, args: [server] },
    lost: { command: process.execPath, args: [server, "dies"], env: { LOST_TOKEN: "localhost:5432" } },
  });
  const { code, stdout, stderr } = await machine.run(["tools"]);
  assert.equal(code, 0);
  assert.match(stdout, /^FROM A SERVER +MAY DO +SERVER +STATE +WHAT FOR$/m);
  assert.match(stdout, /^small__echo +changes things, high risk +small +connected +Says it again\.$/m);
  assert.match(
    stderr,
    /^deckhand: warning: The MCP server "lost" ended with exit code 3: no database at .*\. Correct "mcpServers\.lost", or see what deckhand doctor says of it\.$/m,
  );
  assert.doesNotMatch(stderr, /localhost:5432/);
});

test("tools --json and tools NAME say the server, too [C9 C6]", async (t) => {
  const machine = await openMachine(t);
  await configure(machine, { small: { command: process.execPath, args: [server] } });
  const tools = JSON.parse((await machine.run(["tools", "--json"])).stdout) as Record<string, unknown>[];
  const { server: from, state, problem } = tools.find(({ name }) => name === "small__echo")!;
  assert.deepEqual({ from, state, problem }, { from: "small", state: "connected", problem: null });
  assert.ok(!("server" in tools.find(({ name }) => name === "read")!));
  assert.match((await machine.run(["tools", "small__echo"])).stdout, /^ {2}server +small, connected$/m);
});

for (const file of ["deckhand.json", ".mcp.json"]) {
  test(`tools says that the servers in ${file} wait for trust [C9 C6]`, async (t) => {
    const machine = await openMachine(t);
    const mcpServers = { small: { command: process.execPath, args: [server] } };
    await writeFile(join(machine.workdir, file), JSON.stringify({ mcpServers }));
    const { code, stderr } = await machine.run(["tools"]);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^deckhand: warning: \S+\.json (sets mcpServers|names MCP servers \("small"\)), .*`deckhand trust`/,
    );
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  });
}

test("tools waits for a server as long as its settings let it take to start [C9]", async (t) => {
  const machine = await openMachine(t);
  // Longer than a conversation would wait for it.
  const late = `sleep 6; exec '${process.execPath}' '${server}'`;
  await configure(machine, { late: { command: "sh", args: ["-c", late] } });
  const { stdout, stderr } = await machine.run(["tools"]);
  assert.match(stdout, /^late__echo +/m, stderr);
  assert.equal(stderr, "");
});
