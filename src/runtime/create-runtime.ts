import { homedir } from "node:os";
import { relative } from "node:path";
import type { PreImages } from "../agent/undo/pre-images.ts";
import { systemClock } from "../core/clock.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import { createEventBus } from "../core/event-bus.ts";
import type { Session } from "../core/session.ts";
import { createEngine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/parts.ts";
import type { PermissionMode } from "../gate/mode.ts";
import { openTrust } from "../gate/trust.ts";
import { createInbox } from "../inbox/inbox.ts";
import { createProcesses } from "../process/processes.ts";
import type { AgentWiring, ConversationGuard } from "./agent-wiring.ts";
import { announceApprovals } from "./announce-approvals.ts";
import { createCallRecords } from "./call-records.ts";
import { createEarlyCalls } from "./early-calls.ts";
import { createJobCalls } from "./jobs/job-calls.ts";
import { logQuestions } from "./log-questions.ts";
import { limitsByCanonicalName } from "./open-catalog.ts";
import { locateFolders } from "./folders.ts";
import { loadConfiguration, projectFile } from "./load-configuration.ts";
import { openAnalysis } from "./open-analysis.ts";
import { openGate } from "./open-gate.ts";
import { openMask } from "./open-mask.ts";
import { openRecords } from "./open-records.ts";
import { createLazyDoors } from "./lazy-doors.ts";
import { openToolReleases } from "./open-tool-releases.ts";
import { openTools } from "./open-tools.ts";
import { permitGuarded, permitInTurn } from "./permit-in-turn.ts";
import type { OpenedSkills } from "./open-skills.ts";
import { toolFolderOf } from "./open-trust.ts";
import { createReadImage } from "./read-image.ts";
import { recoverRuntime } from "./recover-runtime.ts";
import type { Runtime, RuntimeConfig } from "./runtime.ts";
import { createSandboxView } from "./sandbox-settings.ts";
import { userName } from "./user-name.ts";
import { watchCancelRequests } from "./watch-cancel-requests.ts";
import { watchStarts } from "./watch-starts.ts";

export type { Runtime, RuntimeConfig } from "./runtime.ts";

/** Puts the parts together. Rejects with a RuntimeError when workdir or configuration are wrong. */
export async function createRuntime(config: RuntimeConfig = {}): Promise<Runtime> {
  const clock = config.clock ?? systemClock;
  const env = config.env ?? process.env;
  const folders = locateFolders(config.workdir ?? process.cwd(), env);
  const { workdir } = folders;
  const now = (): number => clock.now();
  const isTrusted = (file: string): boolean =>
    openTrust({ workdir, path: folders.trust, toolFolders: [], now }).isTrusted(file);
  const loaded = loadConfiguration({ ...config, workdir, env, overrides: config.settings ?? {}, isTrusted });
  const { configuration } = loaded;
  const toolFolder = toolFolderOf(workdir, configuration.tools.folder);
  let mode: PermissionMode = configuration.permissions.mode;
  const bus = createEventBus(clock);
  if (config.onEvent) bus.on("*", config.onEvent);
  const masker = openMask(folders, env, { storeUrl: configuration.store.url });
  const maskText = (text: string): string => masker.text(text);
  const view = createSandboxView({ folders, configuration, mode: () => mode, env, protectedFiles: loaded.hookFiles });
  const processes = createProcesses({ runFolder: folders.run, clock, sandbox: configuration.sandbox.mode, view });
  const records = await openRecords({
    configuration,
    folders,
    clock,
    mask: maskText,
    processes,
    onFailed: (failure) => bus.emit("ledger:failed", failure),
    onlyLooks: config.onlyLooks ?? false,
  });
  const { store } = records;
  const inbox = createInbox({
    store: records.inbox,
    clock,
    owner: processes.identity,
    isAlive: (owner) => processes.isAlive(owner),
    mask: (value) => masker.value(value),
    findAsker: (call) => jobCalls.findAsker(call),
    onAdded: (entry) => bus.emit("inbox:added", entry),
  });
  const analysis = openAnalysis({ workdir, home: env["HOME"] || homedir() });
  const rollouts = openToolReleases({
    configuration,
    records,
    processes,
    clock,
    workdir,
    toolFolder,
    emit: bus.emit,
    mask: (value) => masker.value(value),
    list: (query) => store.list({ limit: 10, ...query }),
    replays: config.onlyLooks !== true,
    findCrashLoop: config.findCrashLoop,
  });
  const tools = await openTools({
    configuration,
    folders,
    processes,
    analysis,
    masker,
    config,
    toolFolder,
    trust: openTrust({ workdir, path: folders.trust, toolFolders: [toolFolder], now }),
    releases: rollouts.releases,
    onWorkshop: rollouts.bind,
    desk: () => doors.tasks(),
    clock,
    env,
  });
  const { catalog, childEnv, workshop } = tools;
  const { ledger, whenStarting } = watchStarts(rollouts.watch(workshop.watch(records.ledger)));
  const { unattended } = configuration.permissions;
  const jobCalls = createJobCalls({ person: config, inbox, unattended, catalog, find: (id) => engine.get(id) });
  const gate = openGate({
    configuration,
    folders,
    catalog,
    analysis,
    processes,
    env: childEnv,
    clock,
    mask: masker,
    mode: () => mode,
    approve: announceApprovals(jobCalls.approve, { emit: bus.emit, maskText }),
    rulesOf: (execution) => jobCalls.rulesOf(execution),
    confirmed: config.confirmed ?? [],
    who: userName(),
    protectedPaths: [projectFile, toolFolder, ...loaded.hookFiles, relative(workdir, folders.stateHome)],
  });
  const problems = records.problem === null ? [] : [records.problem];
  const warnings = [...loaded.warnings, ...problems, ...tools.warnings(), ...rollouts.warnings(), ...gate.warnings];
  let guard: ConversationGuard | undefined;
  let preImages: PreImages | undefined;
  let skills: Promise<OpenedSkills> | undefined;
  const conversations = new Map<string, Session>();
  const permit = permitGuarded(() => guard, gate.permit);
  const engineOptions: EngineOptions = {
    catalog,
    workdir,
    env: childEnv,
    owner: processes.identity,
    limits: limitsByCanonicalName(configuration.limits, catalog),
    clock,
    emit: bus.emit,
    ledger,
    permit: config.permit ? permitInTurn(config.permit, permit) : permit,
    route: config.route ?? rollouts.route,
    ask: logQuestions(jobCalls.ask, records.journal),
    mask: masker,
    afterRun: gate.afterRun,
    keepBefore: (execution, change) => preImages?.keep(execution, change),
    mayChangeInput: config.permit ? () => true : gate.mayChangeInput,
  };
  const engine = createEngine(engineOptions);
  const readImage = createReadImage(engineOptions);

  function prepareFor(tool: string): Promise<void> | undefined {
    const loading = tools.prepareFor(tool);
    const prepare = (): Promise<void> | undefined =>
      rollouts.prepareFor(catalog.canonicalName(String(tool)) ?? tool)?.then(() => tools.prepareFor(tool));
    return loading ? loading.then(prepare) : prepare();
  }

  const warn = (sentence: string): void => void warnings.push(sentence);
  const recover = (): Promise<void> => recoverRuntime({ processes, store, ledger, clock, emit: bus.emit, warn });
  if (config.recover !== false) await recover();
  const stopWatching = watchCancelRequests({
    store,
    owner: processes.identity,
    isBusy: () => engine.underWay().length > 0,
    cancel: (id, reason) => engine.cancel(id, reason),
    onError: (thrown) => bus.emit("ledger:failed", { id: "", error: messageOf(thrown) }),
  });
  const early = createEarlyCalls(engine);
  let closing: Promise<void> | undefined;

  function assertOpen(): void {
    if (closing) throw new RuntimeError("RUNTIME_CLOSED", "This runtime was closed; create a new one.");
  }

  async function shutDown(): Promise<void> {
    stopWatching();
    rollouts.close();
    // First: what it has begun would otherwise look as if somebody had cancelled it.
    await doors.stopSchedule();
    await early.cancelAll("Cancelled: the runtime was closed");
    await engine.cancelAll("Cancelled: the runtime was closed");
    await doors.close();
    await tools.close();
    await processes.close();
    inbox.close();
    try {
      await ledger.flush();
    } finally {
      await records.close().finally(() => bus.flush());
    }
  }

  const taskParts = { configuration, folders, processes, clock, env, store: records.tasks, emit: bus.emit };
  const doors = createLazyDoors({
    wiring,
    rollouts,
    childEnv,
    warn,
    assertOpen,
    tasks: { ...taskParts, mask: maskText },
    inbox: records.inbox,
    openScheduleStore: () => records.openSchedule(),
  });
  const runtime: Runtime = {
    workdir,
    tools: catalog,
    processes,
    sandboxSetting: configuration.sandbox.mode,
    stateFolder: folders.state,
    maskText,
    maskValue: (value) => masker.value(value),
    maskStream: (begins) => masker.stream(begins),
    inbox,
    warnings,
    isSafeMode: tools.isSafeMode,
    get permissionMode() {
      return mode;
    },
    set permissionMode(next) {
      const { network } = view();
      mode = next;
      // What was started while the network was there would keep it.
      if (view().network !== network) workshop.renewHosts();
    },
    on: (type, listener) => bus.on(type, listener),
    call(tool, input, options = {}) {
      assertOpen();
      const call = { door: "library", ...options, tool, input } as const;
      const loading = prepareFor(tool);
      return loading ? early.call(loading, call) : engine.call(call);
    },
    async readImage(path, options) {
      assertOpen();
      return readImage(path, options);
    },
    async batch(calls, options = {}) {
      assertOpen();
      for (const { tool } of calls) await prepareFor(tool);
      // What a command touches is known only then.
      if (calls.some(({ tool }) => catalog.canonicalName(String(tool)) === "bash")) await analysis.load();
      const batch = engine.openBatch({ door: "library", ...options });
      for (const call of calls) batch.add(call);
      return batch.end();
    },
    openBatch(options = {}) {
      assertOpen();
      // An agent's host knows better when.
      if (options.door !== "agent") void analysis.load();
      return engine.openBatch({ door: "library", ...options });
    },
    ...createCallRecords({ engine: { ...engine, cancel: early.cancel }, store, ledger, processes, recover, maskText }),
    customTools: () => workshop.status(),
    mcpServers: () => tools.mcp.status(),
    reloadTools: () => workshop.reload(),
    prepareTools: () => tools.prepareAll(),
    statistics: (conversationId) => engine.statistics(conversationId ?? null),
    ...doors,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };

  function wiring(): AgentWiring {
    return {
      runtime,
      configuration,
      folders,
      clock,
      env,
      catalog,
      gate,
      analysis,
      masker,
      journal: records.journal,
      leases: records.leases,
      workshop,
      prepareTools: () => tools.prepareAll(),
      prepareFor,
      processes,
      hasOwnPermit: config.permit !== undefined,
      isUnattended: config.ask === undefined && unattended === "refuse",
      jobCalls,
      usePreImages: (open) => (preImages ??= open()),
      useSkills: (open) => (skills ??= open()),
      conversations,
      useGuard: (next) => void (guard = next),
      whenStarting,
      lookUp: (id) => runtime.get(id),
    };
  }
  return runtime;
}
