import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../src/core/define-tool.ts";
import type { Tool } from "../src/core/tool.ts";
import { createRuntime, type Runtime } from "../src/runtime/create-runtime.ts";

/** A runtime in a folder of its own, removed at exit. */
export async function benchRuntime(store: "memory" | "sqlite", tools: readonly Tool[], limits = {}): Promise<Runtime> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: home };
  return createRuntime({ workdir: home, env, tools, settings: { store: { kind: store }, limits } });
}

const nothing = { name: "nothing", description: "Does nothing.", input: z.object({ n: z.number() }) };

/** Safe to repeat: its record may be written a little later. */
export const nothingSafe = defineTool({
  ...nothing,
  traits: { readOnly: true },
  resources: () => [],
  run: async ({ n }) => ({ ok: true, output: String(n) }),
});

/** Not safe to repeat: its record is committed before it runs. */
export const nothingOnce = defineTool({
  ...nothing,
  traits: { replay: "never" },
  resources: () => [],
  run: async ({ n }) => ({ ok: true, output: String(n) }),
});

/** Microseconds for each of `rounds` calls made one after the other. */
export async function microsecondsEach(rounds: number, call: (n: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  for (let n = 0; n < rounds; n++) await call(n);
  return ((performance.now() - begin) * 1000) / rounds;
}
