import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { Answer, Question } from "../../../src/core/approval.ts";
import { createProcesses } from "../../../src/process/processes.ts";
import { createMcpServers, type McpServers, type McpServersOptions } from "../../../src/mcp/client/mcp-servers.ts";
import type { McpServerSetting, McpTransport } from "../../../src/mcp/client/server-setting.ts";
import { afterTest } from "../../support/after-test.ts";
import { setUpEngine, type EngineUnderTest } from "../../support/engine.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { viewOf } from "../../process/support.ts";

export const serverFile = join(import.meta.dirname, "../../fixtures/mcp/server.ts");

/** The small server of the fixtures as a program. */
export function program(...words: readonly string[]): McpTransport {
  return { kind: "stdio", command: process.execPath, args: [serverFile, ...words], env: {}, cwd: null };
}

export function settingOf(transport: McpTransport, more: Partial<McpServerSetting> = {}): McpServerSetting {
  return {
    name: "small",
    transport,
    timeoutMs: null,
    startTimeoutMs: 20_000,
    trustsAnnotations: false,
    only: null,
    ...more,
  };
}

export interface McpWorld {
  readonly folder: string;
  readonly servers: McpServers;
  readonly questions: Question[];
  /** An engine with the tools that are known now. */
  engine(): EngineUnderTest;
  /** The pids of the servers that were started with `log=${logFile}`. */
  readonly logFile: string;
  logged(): string[];
}

/** Servers with everything around them that the runtime would hand in; closed after the test. */
export async function openWorld(
  t: TestContext,
  settings: readonly McpServerSetting[] | ((folder: string) => readonly McpServerSetting[]),
  options: Partial<McpServersOptions> & {
    readonly env?: Record<string, string>;
    readonly answers?: readonly Answer[];
    readonly sandbox?: "off" | "auto";
  } = {},
): Promise<McpWorld> {
  const folder = await temporaryFolder(t);
  const processes = createProcesses({
    runFolder: mkdtempSync(join(folder, "run-")),
    clock: systemClock,
    sandbox: options.sandbox ?? "off",
    graceMs: 200,
    view: () => viewOf(folder),
  });
  afterTest(t, () => processes.close());
  const { env = {}, answers = [], sandbox: _sandbox, ...more } = options;
  const childEnv = { PATH: process.env["PATH"]! };
  const place = { processes, clock: systemClock, workdir: folder, env, childEnv, isStrict: false, version: "0.0.0" };
  const all = typeof settings === "function" ? settings(folder) : settings;
  const servers = createMcpServers(place, { settings: all, cache: null, onChange: () => undefined, ...more });
  afterTest(t, () => servers.close());
  const questions: Question[] = [];
  const left = [...answers];
  const logFile = join(folder, "log");
  return {
    folder,
    servers,
    questions,
    logFile,
    logged() {
      try {
        return readFileSync(logFile, "utf8").trim().split("\n");
      } catch {
        return [];
      }
    },
    engine: () =>
      setUpEngine({
        tools: servers.tools(),
        workdir: folder,
        ask(question) {
          questions.push(question);
          return Promise.resolve(left.shift() ?? { answered: false, reason: "nobody" });
        },
      }),
  };
}

/** Long enough for a busy machine: nothing waits that long when all is well. */
export const patienceMs = 30_000;
