// The load on a daemon, in a process of its own: readers of the event stream, and requests at a fixed rate.
//
//   node bench/daemon-client.ts '{"url":"http://127.0.0.1:7433","token":"…","streams":200,"rate":500,"seconds":60}'
//
// Requests begin when their time has come, whether or not earlier ones were answered, and each is measured from that time:
// a server that stalls can't make them wait unseen.
import { Agent, request, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

interface Load {
  readonly url: string;
  readonly token: string;
  readonly streams: number;
  readonly rate: number;
  readonly seconds: number;
}

export interface LoadReport {
  readonly requests: number;
  /** By status; `error` for those without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Of the slowest kind of request. */
  readonly slowest: string;
  readonly events: number;
  readonly cutStreams: number;
}

/** What a dashboard asks for, and one call in fifty, which everybody's stream tells of. */
const reads = [
  "/api/status",
  "/api/calls?limit=20",
  "/healthz",
  "/api/tasks?limit=20",
  "/api/inbox?state=waiting",
  "/api/jobs",
  "/api/rollouts",
  "/api/statistics",
  "/api/tools",
  "/api/log?limit=20",
];
const callEvery = 50;

const load = JSON.parse(process.argv[2] ?? "{}") as Load;
const authorization = `Bearer ${load.token}`;
const sockets = new Agent({ keepAlive: true, maxSockets: 64 });
const took = new Map<string, number[]>();
const statuses: Record<string, number> = {};
let events = 0;
let cutStreams = 0;
let isOver = false;

for (let index = 0; index < load.streams; index++) await openStream();
await sendRequests();
isOver = true;
process.stdout.write(`${JSON.stringify(report())}\n`, () => process.exit(0));

function openStream(): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = request(`${load.url}/api/events`, { headers: { authorization }, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The event stream answered ${response.statusCode}.`));
      response.on("data", (chunk: Buffer) => (events += countEvents(chunk)));
      response.on("close", () => (cutStreams += isOver ? 0 : 1));
      response.on("error", () => undefined);
      resolve();
    });
    stream.on("error", reject);
    stream.end();
  });
}

function countEvents(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf("\n\n"); at >= 0; at = chunk.indexOf("\n\n", at + 2)) count += 1;
  return count;
}

async function sendRequests(): Promise<void> {
  const began = performance.now();
  const total = load.rate * load.seconds;
  const answers: Promise<void>[] = [];
  for (let index = 0; index < total; index++) {
    const due = began + (index * 1000) / load.rate;
    const early = due - performance.now();
    if (early > 1) await wait(early);
    answers.push(send(index, due));
  }
  await Promise.all(answers);
}

async function send(index: number, due: number): Promise<void> {
  const isCall = index % callEvery === callEvery - 1;
  const path = isCall ? "/api/tools/list_files/call" : reads[index % reads.length]!;
  const status = await exchange(path, isCall ? '{"input":{}}' : null);
  statuses[status] = (statuses[status] ?? 0) + 1;
  const times = took.get(path) ?? [];
  times.push(performance.now() - due);
  took.set(path, times);
}

function exchange(path: string, body: string | null): Promise<string> {
  const type = body === null ? {} : { "content-type": "application/json", "content-length": body.length };
  return new Promise((resolve) => {
    const method = body === null ? "GET" : "POST";
    const options = { method, agent: sockets, headers: { authorization, ...type } };
    const sent = request(`${load.url}${path}`, options, (response: IncomingMessage) => {
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", () => resolve("error"));
      response.resume();
    });
    sent.on("error", () => resolve("error"));
    sent.end(body ?? undefined);
  });
}

function report(): LoadReport {
  const all = [...took.values()].flat().sort((one, other) => one - other);
  const p99 = (times: readonly number[]): number => times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const kinds = [...took].map(([path, times]) => [path, p99(times.toSorted((one, other) => one - other))] as const);
  const [slowest] = kinds.sort(([, one], [, other]) => other - one);
  return {
    requests: all.length,
    statuses,
    p50Ms: all[Math.floor(all.length / 2)] ?? Number.NaN,
    p99Ms: p99(all),
    longestMs: all.at(-1) ?? Number.NaN,
    slowest: slowest ? `${slowest[0]} (p99 ${slowest[1].toFixed(1)} ms)` : "",
    events,
    cutStreams,
  };
}
