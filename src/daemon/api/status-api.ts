import { timeToWire, toWire } from "../../core/wire.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { rights, type ApiParts, type ApiRequest, type Route } from "../server/route.ts";
import { checkQuery, type Page, readLimit, wholePage } from "./read-request.ts";

export interface UnderWay {
  readonly running_calls: number;
  readonly running_tasks: number;
  readonly waiting_inbox: number;
  readonly active_rollouts: number;
  readonly jobs: number;
  readonly paused_jobs: number;
}

/** Nobody reads a number larger than this. */
const mostCounted = 1000;

/** What goes on in this workdir, in numbers. */
async function countUnderWay(
  runtime: Pick<Runtime, "list" | "tasks" | "inbox" | "rollouts" | "schedule">,
): Promise<UnderWay> {
  const [calls, tasks, waiting, rollouts, schedule] = await Promise.all([
    runtime.list({ states: ["pending", "running"], limit: mostCounted }),
    runtime.tasks(),
    runtime.inbox.list({ states: ["waiting"], limit: mostCounted }),
    runtime.rollouts(),
    runtime.schedule(),
  ]);
  const [runningTasks, views, { jobs, paused }] = await Promise.all([
    tasks.count({ states: ["queued", "running"] }),
    rollouts.list(),
    schedule.count(),
  ]);
  return {
    running_calls: calls.length,
    running_tasks: runningTasks,
    waiting_inbox: waiting.filter(({ state }) => state === "waiting").length,
    active_rollouts: views.filter(({ status }) => status !== "none" && status !== "rolled_back").length,
    jobs,
    paused_jobs: paused,
  };
}

export const statusRoutes: readonly Route[] = [
  { method: "GET", path: "/api/status", right: "read", handle: showStatus },
];

async function showStatus(request: ApiRequest, { runtime, status, findWriteProblem }: ApiParts): Promise<unknown> {
  checkQuery(request.query, []);
  const writeProblem = await findWriteProblem();
  const warnings = writeProblem === null ? runtime.warnings : [...runtime.warnings, writeProblem];
  const { version, workdir, pid, startedAt, isReady, isSafeMode, isWatched, url } = status();
  return {
    version,
    workdir,
    pid,
    started_at: timeToWire(startedAt),
    ready: isReady && writeProblem === null,
    safe_mode: isSafeMode,
    watchdog: isWatched,
    url,
    rights: rights.filter((right) => request.rights.has(right)),
    warnings: [...new Set(warnings)].map((warning) => runtime.maskText(warning)),
    counts: await countUnderWay(runtime),
  };
}

/** Conversations. */
export const sessionRoutes: readonly Route[] = [
  { method: "GET", path: "/api/sessions", right: "read", handle: listSessions },
];

async function listSessions({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, ["limit"]);
  const limit = readLimit(query, { standard: 20, most: 200 });
  const sessions = await (await runtime.sessions()).list(limit);
  return wholePage(sessions.map(toWire));
}
