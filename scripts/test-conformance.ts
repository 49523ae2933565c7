// `npm run test:conformance`: the protocol's own suite and its inspector against our MCP server.
//
//   npm run test:conformance                 installs what is missing (about 160 MB), then runs both
//   npm run test:conformance -- --install    only installs
//
// The suite talks to a fixture server on our own stack (token, Host and Origin checks included); what it may fail, and why, is in
// scripts/conformance-exceptions.yml, where an entry that passes is an error as well. The inspector talks to `deckhand mcp` itself.
// Both are kept in .cache/conformance, or where DECKHAND_CONFORMANCE_CACHE says.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const pins = { conformance: "0.2.0-alpha.12", inspector: "2.12.0" } as const;
type Pin = keyof typeof pins;

const root = join(import.meta.dirname, "..");
const cache = resolve(process.env["DECKHAND_CONFORMANCE_CACHE"] || join(root, ".cache", "conformance"));
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` };
const scratch = mkdtempSync(join(tmpdir(), "deckhand-conformance-"));

mkdirSync(cache, { recursive: true });
// Nothing in it is anybody's source.
if (!process.env["DECKHAND_CONFORMANCE_CACHE"]) writeFileSync(join(cache, ".gitignore"), "*\n");
for (const name of Object.keys(pins) as Pin[]) install(name);
try {
  if (!process.argv.includes("--install")) {
    const problems = [...(await runSuite()), ...runInspector()];
    for (const problem of problems) console.error(`✖ ${problem}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function install(name: Pin): void {
  const wanted = `@modelcontextprotocol/${name}`;
  const folder = join(cache, name);
  if (versionIn(folder, wanted) === pins[name]) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  console.log(`Installing ${wanted}@${pins[name]} …`);
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", `${wanted}@${pins[name]}`];
  const { status } = spawnSync("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  if (status === 0 && versionIn(folder, wanted) === pins[name]) return;
  console.error(`${wanted}@${pins[name]} can't be installed into ${folder}; npm says why above.`);
  process.exit(1);
}

function versionIn(folder: string, name: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version;
}

async function runSuite(): Promise<string[]> {
  const server = spawn(process.execPath, [join(root, "test/fixtures/mcp-door/conformance-server.ts")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const url = await addressOf(server);
    const program = join(cache, "conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const exceptions = join(root, "scripts/conformance-exceptions.yml");
    const { status } = spawnSync(
      process.execPath,
      [program, "server", "--url", url, "--suite", "all", "--expected-failures", exceptions, "-o", scratch],
      { stdio: "inherit", env },
    );
    return status === 0
      ? []
      : ["The suite found what conformance-exceptions.yml does not say, or something in it passes."];
  } finally {
    server.kill("SIGKILL");
  }
}

async function addressOf(server: ChildProcess): Promise<string> {
  const [line] = (await Promise.race([
    once(server.stdout!, "data"),
    once(server, "exit").then(() => Promise.reject(new Error("The fixture server did not start."))),
  ])) as [Buffer];
  return (JSON.parse(line.toString()) as { url: string }).url;
}

/** The person's machine in small: a workdir and homes of its own, and an agent that says what it was told. */
function runInspector(): string[] {
  const workdir = join(scratch, "work");
  const config = join(scratch, "config", "deckhand");
  for (const folder of [workdir, config]) mkdirSync(folder, { recursive: true });
  const agents = { parrot: { command: ["cat"], output: "text" } };
  writeFileSync(join(config, "deckhand.json"), JSON.stringify({ agents }));
  const homes = { HOME: scratch, XDG_CONFIG_HOME: join(scratch, "config"), XDG_STATE_HOME: join(scratch, "state") };
  const problems: string[] = [];

  function inspect(...words: readonly string[]): unknown {
    const program = join(cache, "inspector/node_modules/.bin/mcp-inspector");
    const server = [process.execPath, join(root, "test/fixtures/cli/deckhand.ts"), "mcp", "--workdir", workdir];
    const passed = Object.entries(homes).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const { status, stdout, stderr } = spawnSync(program, ["--cli", ...passed, ...server, ...words], {
      encoding: "utf8",
      env: { ...env, HOME: scratch },
    });
    if (status !== 0) problems.push(`inspector ${words.join(" ")} ended with ${status}: ${stderr.slice(0, 500)}`);
    return status === 0 ? (JSON.parse(stdout) as unknown) : {};
  }

  function call(era: string, name: string, ...args: readonly string[]): Record<string, unknown> {
    const words = ["--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg])];
    const answer = inspect(...words, "--protocol-era", era) as { structuredContent?: Record<string, unknown> };
    return answer.structuredContent ?? {};
  }

  for (const era of ["legacy", "modern"]) {
    const { tools = [] } = inspect("--method", "tools/list", "--strict", "--protocol-era", era) as { tools?: object[] };
    if (tools.length !== 7) problems.push(`inspector (${era}): ${tools.length} tools are listed instead of 7.`);
    const { task_id: id } = call(era, "use_agent", "cli_name=parrot", "message=hello");
    const end = call(era, "wait_for_task", `task_id=${String(id)}`);
    const isRight = end["status"] === "completed" && end["result"] === "hello";
    if (!isRight) problems.push(`inspector (${era}): the task ended as ${JSON.stringify(end)}.`);
    const lost = call(era, "get_task_status", "task_id=task_0");
    if (lost["status"] !== "not_found")
      problems.push(`inspector (${era}): an unknown task is ${JSON.stringify(lost)}.`);
    if (problems.length === 0)
      console.log(`✔ inspector (${era}): tools/list --strict, use_agent, wait_for_task, get_task_status`);
  }
  return problems;
}
