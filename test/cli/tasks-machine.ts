import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { openMachine, type Machine } from "./run-deckhand.ts";

/**
 * A machine whose person has three agents: `shell`, whose message is a script; `single`, the same, one at a time; and `talker`,
 * which speaks in events and has sessions. What is still running in the end is cancelled.
 */
export async function openTasksMachine(t: TestContext, settings: object = {}): Promise<Machine> {
  const machine = await openMachine(t);
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const talk = `read -r m; echo '{"session":"s-1"}'; echo "{\\"result\\":\\"\${1:-new} $m\\"}"`;
  const agents = {
    shell: { command: ["sh", "-s"] },
    single: { command: ["sh", "-s"], limit: 1 },
    talker: {
      command: ["sh", "-c", talk, "talker", "--resume={session}"],
      output: "json_lines",
      session_field: "session",
    },
  };
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ agents, ...settings }));
  afterTest(t, () => cancelAll(machine));
  return machine;
}

export interface TaskDocument {
  readonly id: string;
  readonly state: string;
  readonly result: string | null;
  readonly error: string | null;
  readonly session_id: string | null;
  readonly stop_proof: string | null;
  readonly process: { readonly pid: number } | null;
  readonly order: { readonly agent: string; readonly message: string; readonly resume: string | null };
}

export async function listTasks(machine: Machine, args: readonly string[] = []): Promise<TaskDocument[]> {
  const { stdout, stderr, code } = await machine.run(["tasks", "list", "--json", ...args]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as TaskDocument[];
}

/** A script that prints, waits for a file in the workdir, and prints again. */
export const waitsForGo = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two";

async function cancelAll(machine: Machine): Promise<void> {
  const running = await listTasks(machine, ["--running"]);
  if (running.length > 0) await machine.run(["tasks", "cancel", ...running.map(({ id }) => id)]);
}
