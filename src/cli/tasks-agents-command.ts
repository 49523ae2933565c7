import type { AgentInfo } from "../runtime/tasks.ts";
import { agentToWire } from "../runtime/views/task-view.ts";
import type { Invocation } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { renderTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { withTasks } from "./with-tasks.ts";

/** `deckhand tasks agents` */
export async function runTasksAgents(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withTasks(invocation, terminal, async ({ tasks }) => {
    const agents = await tasks.agents();
    if (invocation.has("json")) terminal.printJson(agents.map(agentToWire));
    else terminal.print(renderAgents(agents, terminal, tasks.runsHere ? "HERE" : "ON A WORKER"));
    return exitCode.done;
  });
}

function renderAgents(agents: readonly AgentInfo[], terminal: Terminal, where: string): string {
  return renderTable({
    columns: [
      { title: "AGENT" },
      { title: where },
      { title: "RESUMES" },
      { title: "LIMIT", align: "right" },
      { title: "WHAT, OR HOW TO INSTALL IT" },
    ],
    // Those that can be used first.
    rows: agents
      .toSorted((a, b) => Number(b.isInstalled) - Number(a.isInstalled))
      .map(({ name, title, isInstalled, install, canResume, limit }) => [
        name,
        isInstalled ? "yes" : "no",
        canResume ? "yes" : "no",
        String(limit),
        isInstalled ? title : install,
      ]),
    width: terminal.width,
    style: (cell, column) => (column === 1 ? terminal.style(cell === "yes" ? "green" : "yellow", cell) : cell),
  });
}
