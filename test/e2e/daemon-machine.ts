import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { built, openMachine, type Machine, type Started } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- as it came over the wire
  readonly body: any;
}

/** A machine on which `deckhand serve --watchdog`, as it is built, keeps a daemon running. */
export interface DaemonMachine extends Machine {
  readonly url: string;
  readonly dog: Started & { readonly pid: number };
  /** Null while nobody answers. */
  readonly ask: (path: string, body?: object, token?: "daemon-token" | "mcp-token") => Promise<Answer | null>;
  /** The pid of the daemon that answers and is ready, another one than `not`. */
  ready(not?: number): Promise<number>;
  /** `deckhand … --json`, as a value. */
  json(args: readonly string[]): Promise<unknown>;
}

export interface DaemonOptions {
  /** Of the person: `deckhand.json`. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: readonly string[];
  readonly args?: readonly string[];
  /** Before the watchdog starts. */
  readonly prepare?: (machine: Machine) => Promise<void> | void;
}

export async function openDaemonMachine(t: TestContext, options: DaemonOptions = {}): Promise<DaemonMachine> {
  const machine = await openMachine(t);
  const { settings = {}, env = {}, program = built, args = [] } = options;
  const configuration = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(configuration, "deckhand.json"), JSON.stringify(settings));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  await options.prepare?.(machine);
  const started = machine.start(["serve", "--watchdog", "--port", String(port), ...args], { program, env });
  const dog = { ...started, pid: started.child.pid! };
  afterTest(t, async () => {
    // The second one does not wait; a watchdog that ended by itself takes none.
    for (const signal of ["SIGCONT", "SIGTERM", "SIGTERM"] as const) dog.child.kill(signal);
    await dog.ended;
  });

  const readSecret = (name: string): string => readFileSync(join(stateFolder(machine), name), "utf8").trim();

  async function ask(path: string, body?: object, token = "daemon-token"): Promise<Answer | null> {
    try {
      const answer = await fetch(`${url}${path}`, {
        headers: {
          authorization: `Bearer ${readSecret(token)}`,
          connection: "close",
          ...(body && { "content-type": "application/json", accept: "application/json, text/event-stream" }),
        },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        body: answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text,
      };
    } catch {
      return null; // It was killed, or does not listen yet.
    }
  }

  return {
    ...machine,
    url,
    dog,
    ask,
    ready: (not = 0) =>
      until(
        "a daemon that is ready",
        async () => {
          if ((await ask("/readyz"))?.status !== 200) return undefined;
          const pid = Number((await ask("/api/status"))?.body.pid);
          return pid > 0 && pid !== not ? pid : undefined;
        },
        60_000,
      ),
    async json(words) {
      const { stdout, stderr, code } = await machine.run([...words, "--json"], { program });
      if (code !== 0) throw new Error(`deckhand ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
  };
}

/** The person's own folder about the workdir, once there is one. */
export function stateFolder({ env }: Machine): string {
  const home = join(env["XDG_STATE_HOME"]!, "deckhand");
  const [folder = ""] = readdirSync(home).filter((each) => /^[0-9a-f]{16}$/.test(each));
  return join(home, folder);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
