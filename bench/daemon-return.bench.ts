import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "./bench.ts";

/** The watchdog's least uptime when nobody sets it is ten seconds. */
const healthyMs = 12_000;

/** From kill -9 of a daemon that had been well to its next answer, with nothing set of the watchdog. */
async function returnMilliseconds(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const port = await freePort();
  const program = join(import.meta.dirname, "../bin/deckhand.js");
  const watchdog = spawn(process.execPath, [program, "serve", "--watchdog", "--port", String(port)], {
    cwd: mkdtempSync(join(home, "work-")),
    env: { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: join(home, "state") },
    stdio: "ignore",
  });
  try {
    const stateHome = join(home, "state", "deckhand");
    const before = await untilAnswered(port, { stateHome, notOf: 0 });
    await new Promise((resolve) => setTimeout(resolve, healthyMs));
    const begin = performance.now();
    process.kill(before, "SIGKILL");
    await untilAnswered(port, { stateHome, notOf: before });
    return performance.now() - begin;
  } finally {
    const ended = once(watchdog, "exit");
    watchdog.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

/** The pid of the daemon that answers there, once it is another one. */
async function untilAnswered(
  port: number,
  { stateHome, notOf }: { readonly stateHome: string; readonly notOf: number },
): Promise<number> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const [folder = ""] = readdirSync(stateHome).filter((name) => /^[0-9a-f]{16}$/.test(name));
      const token = readFileSync(join(stateHome, folder, "daemon-token"), "utf8").trim();
      const response = await fetch(`http://127.0.0.1:${port}/api/status`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { pid } = (await response.json()) as { pid?: number };
      if (response.ok && pid !== undefined && pid !== notOf) return pid;
    } catch {
      // Nobody listens yet.
    }
    if (performance.now() > deadline) throw new Error("No daemon answered within a minute.");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export const benches: readonly Bench[] = [
  {
    name: "daemon: killed with -9 under serve --watchdog, it answers again",
    unit: "ms",
    budget: 2000,
    rounds: 2,
    measure: returnMilliseconds,
  },
];
