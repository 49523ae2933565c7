import { timeToWire } from "../../core/wire.ts";
import { countUnderWay } from "../count-running.ts";
import { rights, type ApiParts, type ApiRequest, type Route } from "../server/route.ts";
import { checkQuery } from "./read-request.ts";

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
