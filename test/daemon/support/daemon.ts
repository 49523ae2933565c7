import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { startDaemon, type Daemon, type DaemonParts } from "../../../src/daemon/start-daemon.ts";
import { createRuntime, type Runtime, type RuntimeConfig } from "../../../src/runtime/create-runtime.ts";
import { locateFolders, type Folders } from "../../../src/config/folders.ts";
import { openJournalReader } from "../../../src/records/audit-log/log-reader.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** A daemon in this process, on a workdir of its own. */
export interface DaemonUnderTest {
  readonly daemon: Daemon;
  readonly runtime: Runtime;
  readonly folders: Folders;
  readonly port: number;
  readonly token: string;
  readonly told: readonly string[];
  readonly ask: (asked?: Asked) => Promise<Answered>;
}

export interface DaemonSetup extends Partial<
  Pick<DaemonParts, "listen" | "clock" | "limits" | "exposesTools" | "offersInbox">
> {
  readonly home?: string;
  readonly config?: RuntimeConfig;
}

export async function openDaemon(t: TestContext, setup: DaemonSetup = {}): Promise<DaemonUnderTest> {
  const { home = await temporaryFolder(t), config, ...given } = setup;
  const env = isolatedEnvironment(home);
  const folders = locateFolders(home, env);
  const told: string[] = [];
  const daemon = await startDaemon({
    workdir: folders.workdir,
    stateFolder: folders.state,
    listen: { port: 0 },
    openRuntime: () =>
      createRuntime({ workdir: home, env, defaults: { permissions: { unattended: "inbox" } }, ...config }),
    journal: openJournalReader(home, env),
    clock: systemClock,
    exposesTools: false,
    offersInbox: false,
    isWatched: false,
    tell: (sentence) => void told.push(sentence),
    ...given,
  });
  afterTest(t, () => daemon.close());
  const runtime = await daemon.ready;
  const port = Number(/:(\d+)$/.exec(daemon.url)?.[1] ?? 0);
  const token = readFileSync(join(folders.state, "daemon-token"), "utf8").trim();
  return { daemon, runtime, folders, port, token, told, ask: (asked = {}) => ask(port, token, asked) };
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  /** `""` leaves a usual one out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | object;
  readonly socketPath?: string;
}

export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
  readonly json: () => Record<string, unknown>;
}

/** What `fetch` would not let a web page send, a program on this machine can. */
export function ask(port: number, token: string, asked: Asked): Promise<Answered> {
  const { method = asked.body === undefined ? "GET" : "POST", path = "/api/status", headers = {}, socketPath } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const usual = {
    host: socketPath === undefined ? `127.0.0.1:${port}` : "localhost",
    authorization: `Bearer ${token}`,
    ...(method === "POST" ? { "content-type": "application/json" } : {}),
  };
  const sent = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== ""));
  const place = socketPath === undefined ? { host: "127.0.0.1", port } : { socketPath };
  const request = httpRequest({ ...place, method, path, headers: sent, setHost: false, agent: false }, (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    response.on("end", () => {
      const json = (): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;
      resolve({ status: response.statusCode!, body, headers: response.headers, json });
    });
    response.on("error", reject);
  });
  request.on("error", reject);
  const { body } = asked;
  request.end(typeof body === "object" && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
  return promise;
}

/** Bytes as they are; resolves to all that came back when the server has closed. */
export function sendRaw(t: TestContext, port: number, text: string | Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  afterTest(t, () => Promise.resolve(socket.destroy()));
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (answer += piece));
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(answer));
  socket.write(text);
  return promise;
}
