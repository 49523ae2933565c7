import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { apiRoutes } from "../../../src/daemon/api/routes.ts";

test("each route needs exactly the right that the contract says: looking, running and approving are three [G6]", () => {
  assert.deepEqual(
    apiRoutes.map(({ method, path, right }) => `${right} ${method} ${path}`).toSorted(),
    [
      "approve POST /api/inbox/:id/answer",
      "approve POST /api/inbox/:id/approve",
      "approve POST /api/inbox/:id/deny",
      "approve POST /api/jobs",
      "approve POST /api/jobs/:name/remove",
      "approve POST /api/jobs/:name/resume",
      "approve POST /api/rollouts/:tool/hold",
      "approve POST /api/rollouts/:tool/promote",
      "approve POST /api/rollouts/:tool/resume",
      "approve POST /api/rollouts/:tool/rollback",
      "read GET /api/agents",
      "read GET /api/calls",
      "read GET /api/calls/:id",
      "read GET /api/calls/:id/output",
      "read GET /api/inbox",
      "read GET /api/inbox/:id",
      "read GET /api/jobs",
      "read GET /api/jobs/:name",
      "read GET /api/jobs/:name/history",
      "read GET /api/log",
      "read GET /api/log/evidence/:id",
      "read GET /api/log/verify",
      "read GET /api/rollouts",
      "read GET /api/rollouts/:tool",
      "read GET /api/sessions",
      "read GET /api/statistics",
      "read GET /api/status",
      "read GET /api/tasks",
      "read GET /api/tasks/:id",
      "read GET /api/tasks/:id/output",
      "read GET /api/tools",
      "read GET /api/tools/:name",
      "read POST /api/schedule/preview",
      "run POST /api/calls/:id/cancel",
      "run POST /api/jobs/:name/pause",
      "run POST /api/jobs/:name/run",
      "run POST /api/tasks",
      "run POST /api/tasks/:id/cancel",
      "run POST /api/tasks/:id/resume",
      "run POST /api/tools/:name/call",
    ].toSorted(),
  );
});

test("each route is in the guide, with its right and an example, and the guide has no other", async () => {
  const guide = await readFile(join(import.meta.dirname, "../../../docs/api.md"), "utf8");
  const sections = guide.split(/^### /m).slice(1);
  const documented = sections.map((section) => {
    const [, route, right] = /^((?:GET|POST) \S+)\n`(\w+)`/.exec(section) ?? [];
    assert.match(section, /^\$ (?:ask|tell) '?\/api\//m, route);
    return `${right} ${route}`;
  });
  const routes = apiRoutes.map(({ method, path, right }) => `${right} ${method} ${path}`);
  assert.deepEqual(documented.toSorted(), routes.toSorted());
});
