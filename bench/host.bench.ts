import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import { createProcesses } from "../src/process/processes.ts";
import { createToolHosts } from "../src/workshop/host/create-tool-hosts.ts";
import type { HostCall, Language, ToolFile, ToolHosts } from "../src/workshop/host/tool-host.ts";
import type { Bench } from "./bench.ts";
import { microsecondsEach } from "./support.ts";

const echo = (language: Language): ToolFile => {
  const name = `echo-tool.${language === "python" ? "py" : "ts"}`;
  return { path: resolve("test/fixtures/workshop", name), shown: `tools/${name}`, language, hash: `bench-${language}` };
};

/** In the sandbox of this machine, if it has one; with the built program, if there is one. */
function openHosts(): { readonly hosts: ToolHosts; readonly call: HostCall } {
  const workdir = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const readable = [resolve(".")];
  const places = { hidden: [], readOnly: [], writable: [], readable };
  const processes = createProcesses({
    runFolder: join(workdir, "run"),
    clock: systemClock,
    sandbox: "auto",
    view: () => ({ workdir, profile: "normal", network: true, ...places }),
  });
  const env = { PATH: process.env["PATH"]!, HOME: workdir };
  const built = resolve("dist/javascript-host.js");
  const hosts = createToolHosts({
    processes,
    clock: systemClock,
    workdir,
    env,
    strippedFolder: join(workdir, "stripped"),
    ...(existsSync(built) ? { javascriptHost: built } : {}),
  });
  process.on("exit", () => rmSync(workdir, { recursive: true, force: true }));
  const nothing = (): undefined => undefined;
  const call: HostCall = {
    executionId: "call_bench",
    conversationId: null,
    workdir,
    env: {},
    signal: new AbortController().signal,
    progress: nothing,
    ask: () => Promise.resolve({ answered: false, reason: "nobody" }),
    stopped: nothing,
    sandboxed: nothing,
  };
  return { hosts, call };
}

let opened: ReturnType<typeof openHosts> | undefined;

async function callOnce(file: ToolFile): Promise<void> {
  const { hosts, call } = (opened ??= openHosts());
  const { result } = await hosts.call(file, { text: "hi" }, call);
  if (!result.ok || result.output !== "hi") throw new Error(`The call ended as ${JSON.stringify(result)}.`);
}

function warm(language: Language, budget?: number): Bench {
  const file = echo(language);
  return {
    name: `custom tool, warm call, ${language}`,
    unit: "µs",
    ...(budget === undefined ? {} : { budget }),
    rounds: 9,
    async measure() {
      await callOnce(file);
      return microsecondsEach(1000, () => callOnce(file));
    },
  };
}

function first(language: Language, budget?: number): Bench {
  const file = echo(language);
  return {
    name: `custom tool, first call, ${language}`,
    unit: "ms",
    ...(budget === undefined ? {} : { budget }),
    rounds: 10,
    async measure() {
      await opened?.hosts.retire(file);
      const begin = performance.now();
      await callOnce(file);
      return performance.now() - begin;
    },
  };
}

export const benches: readonly Bench[] = [
  warm("typescript", 200),
  warm("python"),
  first("typescript", 150),
  first("python"),
];
