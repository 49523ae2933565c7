import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMachine, type Machine, type Started } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

export const fixture = (name: string): string => join(import.meta.dirname, "..", "fixtures", "watchdog", name);

export interface TestEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface TestWatchdog {
  readonly machine: Machine;
  /** Another one in the same workdir, with other settings perhaps. */
  start(command: readonly string[], env?: Readonly<Record<string, string>>): RunningWatchdog;
  readonly logs: string;
  crashes(): { readonly last_lines: readonly string[]; readonly [key: string]: unknown }[];
  status(): { readonly [key: string]: unknown };
  stateFolder(): string;
}

export interface RunningWatchdog extends Started {
  readonly pid: number;
  events(): TestEvent[];
  /** The first one, or the one with this number from 1. */
  event(type: string, number?: number): Promise<TestEvent>;
}

/** Short delays, so that tests wait for events and not for time. */
const quick = {
  WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05",
  WATCHDOG_MAX_BACKOFF_SECONDS: "0.2",
  DECKHAND_WATCHDOG_TICK_SECONDS: "0.05",
};

export async function openWatchdogs(t: { after(hook: () => Promise<void>): void }): Promise<TestWatchdog> {
  const machine = await openMachine(t);
  const stateHome = join(machine.env["XDG_STATE_HOME"]!, "deckhand");
  const stateFolder = (): string => {
    const [name] = readdirSync(stateHome).filter((each) => /^[0-9a-f]{16}$/.test(each));
    return join(stateHome, name!, "watchdog");
  };
  const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  return {
    machine,
    logs: join(machine.workdir, ".deckhand", "logs"),
    stateFolder,
    crashes() {
      const folder = join(stateFolder(), "crashes");
      return readdirSync(folder)
        .sort()
        .map((name) => readJson(join(folder, name)));
    },
    status: () => readJson(join(stateFolder(), "status.json")),
    start(command, env = {}) {
      const started = machine.start(["watchdog", "--json", "--", ...command], { env: { ...quick, ...env } });
      afterTest(t, async () => {
        // The second signal kills the child; a watchdog that ended by itself takes none.
        for (const signal of ["SIGCONT", "SIGTERM", "SIGTERM"] as const) started.child.kill(signal);
        await started.ended;
      });
      const events = (): TestEvent[] => {
        const lines = started.stdout().split("\n").slice(0, -1);
        return lines.map((line) => JSON.parse(line) as TestEvent);
      };
      return {
        ...started,
        pid: started.child.pid!,
        events,
        event: (type, number = 1) =>
          until(`${type} number ${number}`, () => events().filter((each) => each.type === type)[number - 1], 60_000),
      };
    },
  };
}

/** Of a process that has been reaped, or is a zombie, false. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
