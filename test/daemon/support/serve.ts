import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Machine, Started } from "../../cli/run-deckhand.ts";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import { ask, type Answered, type Asked } from "./daemon.ts";

/** `deckhand serve` as a process of its own. */
export interface Serving extends Started {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly token: string;
  readonly ask: (asked?: Asked) => Promise<Answered>;
}

/** Resolves when it says that it is ready. What is left of it after the test is killed. */
export async function serve(
  t: TestContext,
  machine: Machine,
  args: readonly string[] = ["--port", "0"],
): Promise<Serving> {
  const started = startServe(t, machine, args);
  const line = await until(
    "it is ready",
    () => {
      if (started.child.exitCode !== null) throw new Error(started.stderr());
      return started.stdout().includes("\n") && started.stdout();
    },
    60_000,
  );
  const { url, pid } = JSON.parse(line) as { readonly url: string; readonly pid: number };
  const port = Number(/:(\d+)$/.exec(url)?.[1] ?? 0);
  const token = readFileSync(join(stateFolderOf(machine), "daemon-token"), "utf8").trim();
  return { ...started, url, port, pid, token, ask: (asked = {}) => ask(port, token, asked) };
}

export function startServe(t: TestContext, machine: Machine, args: readonly string[]): Started {
  const started = machine.start(["serve", "--json", ...args]);
  afterTest(t, async () => {
    started.child.kill("SIGKILL");
    await started.ended;
  });
  return started;
}

/** Of the one workdir that this machine has. */
export function stateFolderOf({ env }: Machine): string {
  const home = join(env["XDG_STATE_HOME"]!, "deckhand");
  const [folder] = readdirSync(home, { withFileTypes: true }).filter((each) => each.isDirectory());
  return join(home, folder!.name);
}
