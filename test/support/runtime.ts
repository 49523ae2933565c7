import { join } from "node:path";
import type { TestContext } from "node:test";
import { createRuntime, type Runtime, type RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "./after-test.ts";
import { temporaryFolder } from "./temporary.ts";

/** Everything a runtime looks for, inside one temporary folder. */
export function isolatedEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    XDG_STATE_HOME: join(home, ".state"),
    XDG_CONFIG_HOME: join(home, ".config"),
  };
}

/** A runtime in a workdir of its own; closed after the test. */
export async function openRuntime(
  t: TestContext,
  config: RuntimeConfig & { readonly home?: string } = {},
): Promise<Runtime> {
  const { home = await temporaryFolder(t), ...rest } = config;
  const runtime = await createRuntime({ workdir: home, env: isolatedEnvironment(home), ...rest });
  afterTest(t, () => runtime.close());
  return runtime;
}

/** Looks again until it is so; a deadline turns "never" into a failure. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  withinMs = 60_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
