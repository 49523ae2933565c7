import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime } from "../src/runtime/create-runtime.ts";
import { createTrust } from "../src/permissions/trust/open-trust.ts";
import type { Settings } from "../src/config/settings.ts";
import type { Bench } from "./bench.ts";
import { microsecondsEach } from "./support.ts";

type Situation = "off" | "nothing tried" | "tried";

function toolFile(remark: string): string {
  return `// ${remark}\nexport const TOOL_SPEC = ${JSON.stringify({
    name: "nothing_much",
    description: "Does nothing.",
    input_schema: { type: "object", properties: { n: { type: "number" } } },
    traits: { read_only: true },
  })};\nexport const run = ({ n }) => ({ ok: true, output: String(n) });\n`;
}

/** With its records on disk, as everybody has them. */
async function openOne(situation: Situation): Promise<Runtime> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const workdir = join(home, "work");
  const path = join(workdir, "tools", "nothing_much.js");
  mkdirSync(join(workdir, "tools"), { recursive: true });
  mkdirSync(join(home, "home"));
  const save = (remark: string, at: number): void => {
    writeFileSync(path, toolFile(remark));
    utimesSync(path, at, at);
  };
  save("first", 1_000_000);
  const env = { PATH: process.env["PATH"], HOME: join(home, "home"), XDG_STATE_HOME: join(home, "state") };
  const trust = createTrust(workdir, env);
  trust.grant("bench", { files: trust.files().map(({ path: each }) => each), quarantined: [] });
  const mode = situation === "off" ? "off" : "canary";
  const settings = { permissions: { allow: ["*"] }, rollout: { mode, low: { stages: [50, 100] } } } satisfies Settings;
  const runtime = await createRuntime({ workdir, env, settings });
  await call(runtime, 0);
  if (situation !== "tried") return runtime;
  save("second", 2_000_000);
  await call(runtime, 1);
  const rollouts = await runtime.rollouts();
  // It must not end while it is measured.
  await rollouts.hold("nothing_much", "It is measured.");
  return runtime;
}

async function call(runtime: Runtime, n: number): Promise<void> {
  const { state, error } = await runtime.call("nothing_much", { n }, { conversationId: `ses_${n}` });
  if (state !== "completed") throw new Error(`The call ended as ${state}: ${error}`);
}

function bench(situation: Situation): Bench {
  let opened: Promise<Runtime> | undefined;
  return {
    name: `rollouts: warm call of a tool file, ${situation}`,
    unit: "µs",
    rounds: 7,
    async measure() {
      const runtime = await (opened ??= openOne(situation));
      return microsecondsEach(500, (n) => call(runtime, n));
    },
  };
}

export const benches: readonly Bench[] = [bench("off"), bench("nothing tried"), bench("tried")];
