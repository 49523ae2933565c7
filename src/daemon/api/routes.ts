import type { Route } from "../route.ts";
import { callRoutes } from "./calls.ts";
import { inboxRoutes } from "./inbox.ts";
import { jobRoutes } from "./jobs.ts";
import { logRoutes } from "./log.ts";
import { rolloutRoutes } from "./rollouts.ts";
import { sessionRoutes } from "./sessions.ts";
import { statusRoutes } from "./status.ts";
import { taskRoutes } from "./tasks.ts";
import { toolRoutes } from "./tools.ts";

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
