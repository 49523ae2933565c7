import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { messageOf } from "../../../core/errors.ts";
import { ownerTokenIn } from "../../../daemon/access/visitors.ts";
import { readToken } from "../../../mcp/server/http/token-file.ts";
import { findDaemon, findStartingDaemon, type DaemonFacts } from "../../../daemon/daemon-place.ts";
import { locateFolders, type Folders } from "../../../config/folders.ts";
import type { Invocation } from "../../parser/command.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What there is of the daemon of this command's workdir. */
export interface ServeView {
  readonly folders: Folders;
  /** Null: none runs. */
  readonly daemon: DaemonFacts | null;
}

export function lookForDaemon(invocation: Invocation, { env }: Terminal): ServeView {
  const folders = locateFolders(chooseWorkdir(invocation, env), env);
  return { folders, daemon: findDaemon(folders.state) };
}

export function tellNone({ folders }: ServeView, terminal: Terminal): void {
  const starting = findStartingDaemon(folders.state);
  terminal.tell(
    starting
      ? `The daemon for ${folders.workdir} (process ${starting.pid}) is just starting. Ask again in a moment.`
      : `No daemon runs for ${folders.workdir}. Start one: deckhand serve`,
  );
}

export interface DaemonAnswer {
  readonly status: number;
  readonly body: unknown;
}

const usualPatienceMs = 10_000;

/** Throws, in one sentence, unless it did what it was asked for. */
export function expectDone({ status, body }: DaemonAnswer, { url }: DaemonFacts): void {
  if (status < 300) return;
  const { error } = Object(body) as { readonly error?: { readonly message?: unknown } };
  const why = typeof error?.message === "string" ? error.message : `it answered ${status}`;
  throw new Error(`The daemon at ${url} refused: ${why}`);
}

/** Asks it with the person's own token. Rejects with one sentence when it does not answer. */
export async function askDaemon(
  { folders }: ServeView,
  daemon: DaemonFacts,
  {
    method,
    path,
    patienceMs = usualPatienceMs,
  }: { readonly method: "GET" | "POST"; readonly path: string; readonly patienceMs?: number },
): Promise<DaemonAnswer> {
  const place = placeOf(daemon, folders);
  const { promise, resolve, reject } = Promise.withResolvers<DaemonAnswer>();
  const headers = {
    authorization: `Bearer ${readToken(ownerTokenIn(folders.state))}`,
    host: place.host,
    ...(method === "POST" ? { "content-type": "application/json", "content-length": 0 } : {}),
  };
  const late = AbortSignal.timeout(patienceMs);
  const request = httpRequest({ ...place.target, method, path, headers, signal: late }, (response) => {
    const pieces: Buffer[] = [];
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.on("error", reject);
    response.on("end", () => {
      try {
        resolve({ status: response.statusCode!, body: JSON.parse(Buffer.concat(pieces).toString() || "null") });
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
  request.on("error", reject);
  request.end();
  try {
    return await promise;
  } catch (cause) {
    const why = late.aborted ? `nothing came within ${patienceMs / 1000} s` : messageOf(cause);
    const sentence = `The daemon at ${daemon.url} (process ${daemon.process.pid}) does not answer: ${why}.`;
    throw new Error(sentence, { cause });
  }
}

/** A daemon is nowhere else than on this machine: what says otherwise was not written by one, and gets no token. */
function placeOf(
  { url, process: { pid } }: DaemonFacts,
  { state }: Folders,
): { readonly host: string; readonly target: object } {
  if (url.startsWith("unix:/")) return { host: "localhost", target: { socketPath: url.slice(5) } };
  if (/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) {
    const { host, hostname, port } = new URL(url);
    return { host, target: { hostname, port } };
  }
  throw new Error(
    `${join(state, "daemon.json")} was changed: no daemon listens at ${JSON.stringify(url)}. \`deckhand serve stop\` ends the one that runs (process ${pid}); then start it again.`,
  );
}
