import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime } from "../src/runtime/create-runtime.ts";
import { createTrust } from "../src/permissions/trust/open-trust.ts";
import { openVersionStore } from "../src/tool-files/versions/version-store.ts";
import { openWorkshop, type Workshop } from "../src/tool-files/open-tool-files.ts";
import type { Bench } from "./bench.ts";
import { microsecondsEach } from "./support.ts";

const fileCount = 500;

function toolFile(name: string): string {
  return `export const TOOL_SPEC = ${JSON.stringify({
    name,
    description: "Does nothing.",
    input_schema: { type: "object", properties: { n: { type: "number" } } },
    traits: { read_only: true },
  })};\nexport const run = ({ n }) => ({ ok: true, output: String(n) });\n`;
}

function makeFolder(): string {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "work", "tools"), { recursive: true });
  return home;
}

/** Files are old: what changed just now is read again, which is not what is measured. */
function putFile(folder: string, name: string): void {
  const path = join(folder, `${name}.js`);
  writeFileSync(path, toolFile(name));
  utimesSync(path, 1_000_000, 1_000_000);
}

/** 500 files whose specs are known, without a process: only what a look at the folder costs. */
async function openMany(): Promise<Workshop> {
  const home = makeFolder();
  const folder = join(home, "work", "tools");
  const versions = openVersionStore({
    folder: join(home, "versions"),
    tools: folder,
    shown: "tools",
    claim: () => undefined,
  });
  for (let n = 0; n < fileCount; n++) putFile(folder, `tool_${n}`);
  const known = new Map<string, unknown>();
  const workshop = openWorkshop({
    folder,
    shown: "tools",
    shelf: {
      resolve: () => undefined,
      add: (tool) => void known.set(tool.name, tool),
      remove: (name) => known.delete(name),
    },
    versions,
    hosts: () =>
      Promise.resolve({
        describe: ({ path }: { readonly path: string }) => {
          const name = /tool_\d+/.exec(path)![0];
          const inputSchema = { type: "object" };
          const spec = { name, description: "Does nothing.", inputSchema, traits: {}, cases: [], hasLifecycle: false };
          return Promise.resolve({ ok: true, spec } as const);
        },
      } as never),
    openAdmission: () => ({ admit: () => "person", admitTraits: () => null }),
    explainInput: () => ({ ok: false, error: "" }),
    isDisabled: () => false,
    createReleases: () => ({
      ready: async () => {},
      revision: () => 0,
      isNew: () => false,
      introduce: async () => {},
      inUse: () => null,
    }),
    // Later than the changes: they are settled.
    now: () => Date.now() + 10_000,
  });
  await workshop.refresh();
  if (known.size !== fileCount) throw new Error(`Only ${known.size} of ${fileCount} files are tools.`);
  return workshop;
}

async function openOne(): Promise<Runtime> {
  const home = makeFolder();
  const workdir = join(home, "work");
  putFile(join(workdir, "tools"), "nothing_much");
  mkdirSync(join(home, "home"));
  const env = { PATH: process.env["PATH"], HOME: join(home, "home"), XDG_STATE_HOME: join(home, "state") };
  const trust = createTrust(workdir, env);
  trust.grant("bench", { files: trust.files().map(({ path }) => path), quarantined: [] });
  return createRuntime({ workdir, env, settings: { store: { kind: "memory" }, permissions: { allow: ["*"] } } });
}

async function call(runtime: Runtime, n: number): Promise<void> {
  const { state, error } = await runtime.call("nothing_much", { n });
  if (state !== "completed") throw new Error(`The call ended as ${state}: ${error}`);
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

const many = once(openMany);
const one = once(openOne);

export const benches: readonly Bench[] = [
  {
    name: `tool files: unchanged rescan of ${fileCount}`,
    unit: "ms",
    budget: 2,
    rounds: 20,
    async measure() {
      const workshop = await many();
      const before = performance.now();
      if (workshop.refresh()) throw new Error("Something changed.");
      return performance.now() - before;
    },
  },
  {
    name: "tool files: the look before a call",
    unit: "µs",
    async measure() {
      const workshop = await many();
      return microsecondsEach(1000, () => Promise.resolve(workshop.refreshFor("tool_7")));
    },
  },
  {
    name: "tool files: warm call, with its record",
    unit: "µs",
    budget: 200,
    // As many as the bare host gets: the first thousands of calls measure the compiler.
    rounds: 9,
    async measure() {
      const runtime = await one();
      await call(runtime, 0);
      return microsecondsEach(1000, (n) => call(runtime, n));
    },
  },
  {
    name: "tool files: first call, its spec known",
    unit: "ms",
    budget: 150,
    rounds: 5,
    async measure() {
      const runtime = await openOne();
      const before = performance.now();
      await call(runtime, 0);
      const took = performance.now() - before;
      await runtime.close();
      return took;
    },
  },
];
