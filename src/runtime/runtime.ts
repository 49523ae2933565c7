import type { Approve, Ask, Permit } from "../core/approval.ts";
import type { Clock } from "../core/clock.ts";
import type { ExecutionQuery, FindCrashLoop } from "../core/stores.ts";
import type { EventBus } from "../core/event-bus.ts";
import type { RuntimeEvent } from "../core/events.ts";
import type { CallOptions, Execution, RouteCall, RunStatistics, ToolCall } from "../core/call.ts";
import type { MaskStream } from "../core/mask.ts";
import type { Tool } from "../core/tool.ts";
import type { TimeLimits } from "../engine/time-limits.ts";
import type { Batch } from "../engine/batch.ts";
import type { Catalog } from "../engine/catalog.ts";
import type { BatchOptions, RunningCall } from "../engine/engine.ts";
import type { PermissionMode } from "../core/permission.ts";
import type { Inbox } from "../permissions/approvals/approval-inbox.ts";
import type { Processes } from "../process/processes.ts";
import type { CleanReport } from "./clean/clean-records.ts";
import type { SandboxSetting } from "../config/configuration.ts";
import type { Environment } from "../core/process.ts";
import type { Sessions } from "../agent/session/sessions.ts";
import type { ImproveOrder, Improvement } from "../tool-files/improve/improve-tool.ts";
import type { AgentRequest, OpenedAgent } from "./open-agent.ts";
import type { ChosenModel } from "./open-named-model.ts";
import type { McpStatus } from "./open-mcp-servers.ts";
import type { OpenedWorker, WorkerOrder } from "./open-worker.ts";
import type { ReadImage } from "./open-calls.ts";
import type { Rollouts } from "../tool-files/rollout/service/rollouts.ts";
import type { Schedule } from "../schedule/schedule-service.ts";
import type { Settings } from "../config/settings.ts";
import type { Tasks } from "../tasks/manager/task-service.ts";
import type { ToolChanges, WorkshopStatus } from "../tool-files/tool-file-status.ts";

export interface RuntimeConfig {
  /** Where the tools work; the current folder when left out. */
  readonly workdir?: string;
  /** Tools of the program's own, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** `false`: only the program's own tools. */
  readonly builtins?: boolean;
  /** Settings that win over environment and files; the keys are those of `deckhand.json`. */
  readonly settings?: Settings;
  /** Settings that everything else wins over, instead of the usual ones. */
  readonly defaults?: Settings;
  /** `false`: leaves what a runtime that died left behind to the next one; for programs that run no call. */
  readonly recover?: boolean;
  /** `true`: no record is made or changed; for programs that run no call and only show what there is. */
  readonly onlyLooks?: boolean;
  readonly env?: Environment;
  readonly clock?: Clock;
  /** Asked before the permission rules; it can refuse a call or change its input, not lift what the rules refuse. */
  readonly permit?: Permit;
  readonly route?: RouteCall;
  /** Answers the questions of tools. Left out: nobody does, or the inbox where `permissions.unattended` says so. */
  readonly ask?: Ask;
  /** Says yes or no where a person must. Left out: as for `ask`. */
  readonly approve?: Approve;
  /** Dangers that the person who starts this named in advance: ids of rules (`delete.recursive`), or exact sub-commands. */
  readonly confirmed?: readonly string[];
  /** `true`: no tool file, no tool of an MCP server, no canary. Left out: what `DECKHAND_SAFE_MODE` says. */
  readonly safeMode?: boolean;
  /** For a daemon: asked before any tool file is looked at; the version that began the loop is rolled back. */
  readonly findCrashLoop?: FindCrashLoop;
  /** Hears every event from the beginning on, also those of the opening itself, which `on` comes too late for. */
  readonly onEvent?: (event: RuntimeEvent) => unknown;
}

export interface PartQuery extends Omit<ExecutionQuery, "afterId" | "mostRows"> {
  readonly mostRows: number;
}

export interface Runtime {
  readonly workdir: string;
  readonly tools: Catalog;
  /** The tool files of the workdir, as they were when they were looked at last. */
  customTools(): WorkshopStatus;
  /** The configured MCP servers, and how they stand; none is started by this. */
  mcpServers(): readonly McpStatus[];
  /**
   * Looks at the tool files; every call of one of them does so by itself. Waits some seconds for MCP servers whose tools are not
   * known yet, or as long as they may take to start.
   */
  prepareTools(order?: { readonly waitsForServers?: boolean }): Promise<void>;
  /** How long a call of this tool may take, and be silent, by the settings. */
  timeLimits(tool: Tool): TimeLimits;
  /** The same, also at what could not be loaded before; says what is different since this was asked last. */
  reloadTools(): Promise<ToolChanges>;
  /** New versions of tool files: what is tried, and what a person says about it. */
  rollouts(): Promise<Rollouts>;
  readonly processes: Processes;
  /** What the settings want of the sandbox; `processes.sandbox()` says what there is. */
  readonly sandboxSetting: SandboxSetting;
  /** The person's own files about this workdir; no tool sees it. */
  readonly stateFolder: string;
  /** As records have it: without secrets. */
  maskText(text: string): string;
  /** The same, deep. */
  maskValue<Value>(value: Value): Value;
  /** The same for text that comes in pieces. `midway`: what came before may have ended inside a key. */
  maskStream(begins?: "midway"): MaskStream;
  /** Questions and approvals that wait for a person. */
  readonly inbox: Inbox;
  /** What does not work as it should, in sentences for a person; such as a store that can't be written. */
  readonly warnings: readonly string[];
  /** Why calls could not be recorded now, found by writing to the store and its folder; null when they can. */
  findWriteProblem(): Promise<string | null>;
  /** Only what is built in is used, or the program's own. */
  readonly isSafeMode: boolean;
  /** How much happens without asking; can be changed at any time, and counts for the calls after that. */
  permissionMode: PermissionMode;
  /** Resolves to the execution, whatever became of it; never rejects for what a tool did. */
  call(tool: string, input?: unknown, options?: CallOptions & Pick<ToolCall, "inputText" | "pinned">): RunningCall;
  /** A picture for a model, read by a call of `read`; or why it can't be shown, in a sentence. */
  readonly readImage: ReadImage;
  /** Runs the calls of one reply, side by side where that is safe. Results come in the given order. */
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<Execution[]>;
  /** The same for calls that arrive one by one. */
  openBatch(options?: BatchOptions): Batch;
  /** True when it was under way, here or in another process; false when it is unknown or final. */
  cancel(id: string, reason?: string): Promise<boolean>;
  get(id: string): Promise<Execution | undefined>;
  /** Newest first; the last 10 when nothing is said. */
  list(query?: Partial<ExecutionQuery>): Promise<Execution[]>;
  /**
   * The same for what no index leads to: so many rows are looked through at most. There may be fewer calls than the limit, or
   * none, and a `next` all the same: `beforeId` of the page behind; null when there is no more.
   */
  listPart(query: PartQuery): Promise<{ readonly calls: readonly Execution[]; readonly next: string | null }>;
  statistics(conversationId?: string): RunStatistics;
  /** `provider/name` or `script:FILE`; left out: the one that is configured, has a key, or runs on this machine. */
  openModel(name?: string): Promise<ChosenModel>;
  /** Background agents; those that an earlier process left are taken over when this is first asked for. */
  tasks(): Promise<Tasks>;
  /** Jobs and when they run. Nothing is started by this: a daemon starts it. */
  schedule(): Promise<Schedule>;
  /** Runs tasks of the shared store (`store.url`) on this machine until it is stopped; stop it before the runtime. */
  openWorker(order: WorkerOrder): Promise<OpenedWorker>;
  /**
   * Removes what is older than `retention` says, and says so in the log, as `deckhand clean` does; in steps, so that calls go on
   * meanwhile. The signal leaves the rest for another time. Where records are kept in memory only there is nothing to remove.
   */
  clean(options?: { readonly signal?: AbortSignal; readonly door?: "daemon" }): Promise<CleanReport>;
  /** The conversations of this workdir. */
  sessions(): Promise<Sessions>;
  /** A conversation with a model that uses these tools. Close it before the runtime. */
  openAgent(request: AgentRequest): Promise<OpenedAgent>;
  /** Lets a model propose a better version of a tool file, checks it, and begins to try it. */
  improveTool(order: ImproveOrder): Promise<Improvement>;
  readonly on: EventBus["on"];
  /** Cancels what runs, waits for the proof, writes what is pending. */
  close(): Promise<void>;
}
