import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { Answer, Question } from "../../../src/core/approval.ts";
import type { SandboxReport } from "../../../src/core/call.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { StopReport } from "../../../src/core/process.ts";
import type { Progress } from "../../../src/core/tool.ts";
import type { SandboxView } from "../../../src/process/sandbox/sandbox-view.ts";
import { createToolHosts, type ToolHostsOptions } from "../../../src/tool-files/host/create-tool-hosts.ts";
import type { HostCall, HostOutcome, Language, ToolFile, ToolHosts } from "../../../src/tool-files/host/tool-host.ts";
import { type Mode, openBench, viewOf } from "../../process/support.ts";

export interface HostBench {
  readonly hosts: ToolHosts;
  readonly workdir: string;
  /** A fixture as a tool file of the workdir. */
  readonly fixture: (name: string) => ToolFile;
  /** A tool file of this text. */
  readonly file: (name: string, source: string) => ToolFile;
  readonly call: (file: ToolFile, input?: unknown, more?: Partial<HostCall>) => Promise<HostOutcome>;
}

export interface HostBenchOptions extends Partial<ToolHostsOptions> {
  readonly mode?: Mode;
  /** What the sandbox shows is that of strict mode. */
  readonly hasStrictView?: boolean;
}

/** Hosts in a workdir of their own, closed after the test. */
export async function openHosts(
  t: { after(hook: () => Promise<void>): void },
  { mode = "off", hasStrictView = false, ...options }: HostBenchOptions = {},
  inWorkdir: (workdir: string) => Partial<ToolHostsOptions> = () => ({}),
): Promise<HostBench> {
  // Closed first: hooks run in the order they were made.
  const made: { hosts?: ToolHosts; view?: SandboxView } = {};
  t.after(async () => made.hosts?.close());
  const bench = await openBench(t, { sandbox: mode, ...(hasStrictView ? { view: () => made.view! } : {}) });
  made.view = viewOf(bench.folder, { profile: "strict", readable: [] });
  const workdir = bench.folder;
  mkdirSync(join(workdir, "tools"));
  mkdirSync(join(workdir, "versions"));
  const hosts = createToolHosts({
    processes: bench.processes,
    clock: systemClock,
    workdir,
    env: { PATH: process.env["PATH"]!, HOME: workdir },
    ...options,
    ...inWorkdir(workdir),
  });
  made.hosts = hosts;
  const file = (name: string, source: string): ToolFile => {
    const hash = createHash("sha256").update(source).digest("hex");
    const path = join(workdir, "versions", `${hash}${extname(name)}`);
    writeFileSync(path, source);
    return { path, shown: `tools/${name}`, language: languages[extname(name)]!, hash };
  };
  return {
    hosts,
    workdir,
    file,
    fixture(name) {
      const from = join(import.meta.dirname, "../../fixtures/workshop", name);
      copyFileSync(from, join(workdir, "tools", basename(name)));
      return file(basename(name), readFileSync(from, "utf8"));
    },
    call: (tool, input = {}, more = {}) => hosts.call(tool, input, hostCall(workdir, more)),
  };
}

const languages: Readonly<Record<string, Language>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".py": "python",
};

let number = 0;

function hostCall(workdir: string, more: Partial<HostCall> = {}): HostCall {
  return {
    executionId: `call_${++number}`,
    conversationId: null,
    idempotencyKey: null,
    workdir,
    env: { GREETING: "hello" },
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: () => Promise.resolve({ answered: false, reason: "nobody" }),
    stopped: () => undefined,
    sandboxed: () => undefined,
    ...more,
  };
}

export interface Watched extends Partial<HostCall> {
  readonly updates: Progress[];
  readonly reports: StopReport[];
  readonly sandboxes: SandboxReport[];
  readonly questions: Question[];
}

/** Keeps all that a call is told. */
export function watched(answer: Answer = { answered: false, reason: "nobody" }): Watched & Pick<HostCall, "ask"> {
  const [updates, reports, sandboxes, questions] = [[], [], [], []] as [
    Progress[],
    StopReport[],
    SandboxReport[],
    Question[],
  ];
  return {
    updates,
    reports,
    sandboxes,
    questions,
    progress: (update) => void updates.push(update),
    stopped: (report) => void reports.push(report),
    sandboxed: (report) => void sandboxes.push(report),
    ask(question) {
      questions.push(question);
      return Promise.resolve(answer);
    },
  };
}

export const spec = (name: string, more = ""): string =>
  `export const TOOL_SPEC = { name: "${name}", description: "A tool.", input_schema: { type: "object", properties: {} }${more} };\n`;
