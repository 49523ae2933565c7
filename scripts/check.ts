// `npm run check`: everything that must hold before a commit, besides the tests. Name steps to run only those:
// `npm run check -- lint types`.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { delimiter, resolve } from "node:path";

/** The slow ones first, so that the quick ones fill the gaps. */
const steps: Record<string, readonly [command: string, ...args: string[]]> = {
  types: ["tsc"],
  "types of the dashboard": ["tsc", "-p", "web"],
  lint: ["oxlint", "--deny-warnings"],
  "dead code": ["knip", "--no-progress"],
  architecture: ["node", "scripts/architecture.ts", "--check"],
  requirements: ["node", "scripts/requirements.ts", "--check"],
  "schema of the settings": ["node", "scripts/settings-schema.ts", "--check"],
  format: ["oxfmt", "--check"],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(", ")}. There are: ${Object.keys(steps).join(", ")}.`);
  process.exit(2);
}

const began = performance.now();
const queue = Object.entries(steps).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const outputs: string[] = [];
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runQueue));

for (const output of outputs) console.log(output);
const verdict = outputs.length === 0 ? "All is well" : `${outputs.length} failed`;
console.log(`${verdict} (${seconds(began)})`);
process.exitCode = outputs.length === 0 ? 0 : 1;

async function runQueue(): Promise<void> {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const [name, [command, ...args]] = step;
    const stepBegan = performance.now();
    const { code, output } = await run(command, args);
    console.log(`${code === 0 ? "✔" : "✖"} ${name} (${seconds(stepBegan)})`);
    if (code !== 0) outputs.push(`\n── ${name}: ${[command, ...args].join(" ")}\n${output}`);
  }
}

async function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const path = `${resolve("node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PATH: path } });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const { promise, resolve: settle } = Promise.withResolvers<number>();
  child.on("error", (error) => {
    chunks.push(Buffer.from(`${command} could not be started: ${error.message}\n`));
    settle(1);
  });
  child.on("close", (code) => settle(code ?? 1));
  return { code: await promise, output: Buffer.concat(chunks).toString() };
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
