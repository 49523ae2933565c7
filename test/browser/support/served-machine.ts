import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locateFolders } from "../../../src/config/folders.ts";
import { openMachine, type Machine, type Started } from "../../cli/run-deckhand.ts";
import { afterTest } from "../../support/after-test.ts";
import { writeSampleFiles } from "./sample-work.ts";

type Context = { after(hook: () => Promise<void>): void };

/** A machine on which `deckhand serve` runs. */
export interface ServedMachine extends Omit<Machine, "start"> {
  /** `http://127.0.0.1:PORT`; the same after a restart. */
  readonly origin: string;
  /** An address that signs a browser in, once. */
  loginLink(path?: string, kind?: "owner" | "looking"): Promise<string>;
  /** Asks the API as the owner. */
  api<Answer = Record<string, unknown>>(path: string, body?: unknown): Promise<Answer>;
  /** kill -9; nothing is said to anybody. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
}

/** The sample project, served; whatever `prepare` does happens before the daemon starts. */
export async function openServedMachine(
  t: Context,
  prepare: (machine: Machine) => Promise<void> = async () => undefined,
): Promise<ServedMachine> {
  const machine = await openMachine(t);
  await writeSampleFiles(machine);
  await prepare(machine);
  const { state } = locateFolders(machine.workdir, machine.env);
  let serving = await serve(machine, "0");
  const { origin } = serving;
  const { port } = new URL(origin);
  afterTest(t, async () => {
    if (isRunning(serving.started)) await cancelTasks();
    await stop(serving.started, "SIGTERM");
  });

  async function api<Answer>(path: string, body?: unknown): Promise<Answer> {
    const token = (await readFile(join(state, "daemon-token"), "utf8")).trim();
    const response = await fetch(`${origin}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  /** A daemon leaves its background agents to the next one, and here there is none. */
  async function cancelTasks(): Promise<void> {
    const { items } = await api<{ items: { id: string }[] }>("/api/tasks?state=queued,running");
    for (const { id } of items) await api(`/api/tasks/${id}/cancel`, {});
  }

  return {
    ...machine,
    origin,
    api,
    async loginLink(path = "/", kind = "owner") {
      const { code } = await api<{ code: string }>(`/api/login/code?kind=${kind}`, {});
      return `${origin}${path}#code=${code}`;
    },
    kill: () => stop(serving.started, "SIGKILL"),
    async start() {
      serving = await serve(machine, port);
    },
  };
}

async function serve(machine: Machine, port: string): Promise<{ readonly started: Started; readonly origin: string }> {
  const started = machine.start(["serve", "--port", port, "--json"], { stdin: null });
  const { promise: ready, resolve } = Promise.withResolvers<string>();
  started.child.stdout.on("data", () => {
    const [line, rest] = started.stdout().split("\n");
    if (line !== undefined && rest !== undefined) resolve((JSON.parse(line) as { url: string }).url);
  });
  const ended = started.ended.then(({ stderr }) => assert.fail(`It ended before it was ready: ${stderr}`));
  return { started, origin: await Promise.race([ready, ended]) };
}

function isRunning({ child }: Started): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function stop(started: Started, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(started)) return;
  const { child, ended } = started;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
  await ended;
}
