import type { Route } from "../server/route.ts";
import { callRoutes } from "./calls-api.ts";
import { inboxRoutes } from "./approvals-api.ts";
import { jobRoutes } from "./jobs-api.ts";
import { logRoutes } from "./log-api.ts";
import { rolloutRoutes } from "./rollouts-api.ts";
import { sessionRoutes, statusRoutes } from "./status-api.ts";
import { taskRoutes } from "./tasks-api.ts";
import { toolRoutes } from "./tools-api.ts";

/** All that can be asked of the daemon beside events and logging in. */
export const apiRoutes: readonly Route[] = [
  ...statusRoutes,
  ...callRoutes,
  ...sessionRoutes,
  ...taskRoutes,
  ...rolloutRoutes,
  ...jobRoutes,
  ...inboxRoutes,
  ...logRoutes,
  ...toolRoutes,
];
