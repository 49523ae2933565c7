import { fillPages } from "./fill-pages.ts";
import { openDashboard, type Dashboard } from "./open-dashboard.ts";
import { tryVersions } from "./sample-work.ts";

/** A dashboard with something to show on every page. */
export async function openFilled(t: { after(hook: () => Promise<void>): void }): Promise<Dashboard> {
  const dashboard = await openDashboard(t, { prepare: (machine) => tryVersions(machine, { calls: 30 }) });
  await fillPages(t, dashboard.machine);
  return dashboard;
}
