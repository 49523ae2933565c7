import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import { createProcesses } from "../src/process/processes.ts";
import { createToolHosts } from "../src/tool-files/host/create-tool-hosts.ts";
import type { HostCall, Language, ToolFile, ToolHosts } from "../src/tool-files/host/tool-host.ts";

export function echoTool(language: Language, copy = 1): ToolFile {
  const name = `echo-tool.${language === "python" ? "py" : "ts"}`;
  const path = resolve("test/fixtures/workshop", name);
  return { path, shown: `tools/${name}`, language, hash: `bench-${language}-${copy}` };
}

/** In the sandbox of this machine, if it has one; with the built program, if there is one. */
export function openHosts(): { readonly hosts: ToolHosts; readonly call: HostCall } {
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
    idempotencyKey: null,
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
