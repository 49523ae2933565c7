// A daemon under load, watched from outside: how long requests take, and how its memory goes.
//
//   node bench/daemon-load.ts --seconds 60 --streams 200 --rate 500
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { LoadReport } from "./daemon-client.ts";

interface LoadOptions {
  readonly seconds: number;
  readonly streams: number;
  readonly rate: number;
}

interface DaemonLoad extends LoadReport {
  /** Of the daemon's own, for each request with its share of the streams: what a busy machine does not change. */
  readonly cpuMsPerRequest: number;
  /** Of the daemon, in megabytes: when it was ready, after ten seconds (or a sixth) of the load, and at its end. */
  readonly memoryMb: { readonly ready: number; readonly early: number; readonly end: number };
}

export async function loadDaemon(options: LoadOptions): Promise<DaemonLoad> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const env = { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: join(home, "state") };
  const program = join(import.meta.dirname, "../bin/deckhand.js");
  const daemon = spawn(process.execPath, [program, "serve", "--port", "0", "--json"], {
    cwd: mkdtempSync(join(home, "work-")),
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { url } = await readReady(daemon);
    const token = await readToken(join(home, "state", "deckhand"));
    const ready = residentMegabytes(daemon);
    const usedBefore = usedMilliseconds(daemon);
    let early = Number.NaN;
    const timer = setTimeout(() => (early = residentMegabytes(daemon)), Math.min(10, options.seconds / 6) * 1000);
    const report = await runClient({ url, token, ...options });
    clearTimeout(timer);
    const cpuMsPerRequest = (usedMilliseconds(daemon) - usedBefore) / report.requests;
    return { ...report, cpuMsPerRequest, memoryMb: { ready, early, end: residentMegabytes(daemon) } };
  } finally {
    if (daemon.exitCode === null) {
      const ended = once(daemon, "exit");
      daemon.kill("SIGTERM");
      await ended;
    }
    rmSync(home, { recursive: true, force: true });
  }
}

async function readReady(daemon: ChildProcess): Promise<{ readonly url: string }> {
  const [line] = (await Promise.race([once(daemon.stdout!, "data"), once(daemon, "exit")])) as [Buffer | number];
  if (typeof line === "number") throw new Error(`The daemon ended with ${line}.`);
  return JSON.parse(line.toString()) as { url: string };
}

async function readToken(stateHome: string): Promise<string> {
  const [folder] = (await readdir(stateHome)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return readFileSync(join(stateHome, folder ?? "", "daemon-token"), "utf8").trim();
}

async function runClient(load: object): Promise<LoadReport> {
  const client = spawn(process.execPath, [join(import.meta.dirname, "daemon-client.ts"), JSON.stringify(load)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  client.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(client, "close")) as [number];
  if (code !== 0) throw new Error(`The client ended with ${code}.`);
  return JSON.parse(text) as LoadReport;
}

/** The kernel counts in hundredths of a second. */
function usedMilliseconds({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMegabytes({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      streams: { type: "string", default: "200" },
      rate: { type: "string", default: "500" },
    },
  });
  const [seconds, streams, rate] = [Number(values.seconds), Number(values.streams), Number(values.rate)];
  console.log(JSON.stringify(await loadDaemon({ seconds, streams, rate }), null, 2));
}
