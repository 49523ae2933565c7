import type { ComponentType } from "preact";
import type { IconName } from "../components/icon.tsx";
import { InboxPage } from "../pages/inbox/inbox-page.tsx";
import { LogPage } from "../pages/log/log-page.tsx";
import { CallPage } from "../pages/now/call-page.tsx";
import { NowPage } from "../pages/now/now-page.tsx";
import { TasksPage } from "../pages/tasks/tasks-page.tsx";

export interface PageParams {
  readonly params: Readonly<Record<string, string>>;
}

interface Area {
  readonly name: string;
  readonly href: string;
  readonly icon: IconName;
  /** The second key after `g`. */
  readonly key: string;
}

/** What the navigation shows. */
export const areas: readonly Area[] = [
  { name: "Now", href: "/", icon: "now", key: "n" },
  { name: "Tasks", href: "/tasks", icon: "tasks", key: "t" },
  { name: "Rollouts", href: "/rollouts", icon: "rollouts", key: "r" },
  { name: "Schedule", href: "/schedule", icon: "schedule", key: "s" },
  { name: "Inbox", href: "/inbox", icon: "inbox", key: "i" },
  { name: "Log", href: "/log", icon: "log", key: "l" },
  { name: "Tools", href: "/tools", icon: "tools", key: "o" },
];

interface PageRoute {
  readonly pattern: string;
  /** Which entry of the navigation it belongs to. */
  readonly area: string;
  /** Loaded when it is first shown, where that is worth a file of its own. */
  readonly page: ComponentType<PageParams> | (() => Promise<ComponentType<PageParams>>);
  readonly isLazy?: true;
}

export const routes: readonly PageRoute[] = [
  { pattern: "/", area: "/", page: NowPage },
  { pattern: "/calls/:id", area: "/", page: CallPage },
  { pattern: "/tasks", area: "/tasks", page: TasksPage },
  { pattern: "/tasks/:id", area: "/tasks", page: TasksPage },
  { pattern: "/inbox", area: "/inbox", page: InboxPage },
  { pattern: "/inbox/:id", area: "/inbox", page: InboxPage },
  { pattern: "/log", area: "/log", page: LogPage },
  ...later("/rollouts", ["/rollouts", "/rollouts/:tool"], async () => {
    const { RolloutsPage } = await import("../pages/rollouts/rollouts-page.tsx");
    return RolloutsPage;
  }),
  ...later("/schedule", ["/schedule", "/schedule/:name"], async () => {
    const { SchedulePage } = await import("../pages/schedule/schedule-page.tsx");
    return SchedulePage;
  }),
  ...later("/tools", ["/tools", "/tools/:name"], async () => {
    const { ToolsPage } = await import("../pages/tools/tools-page.tsx");
    return ToolsPage;
  }),
];

function later(
  area: string,
  patterns: readonly string[],
  page: () => Promise<ComponentType<PageParams>>,
): readonly PageRoute[] {
  return patterns.map((pattern) => ({ pattern, area, page, isLazy: true }));
}
