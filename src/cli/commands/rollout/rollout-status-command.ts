import type { RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";
import { viewToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import type { Invocation } from "../../parser/command.ts";
import { renderExplainedTable } from "../../terminal/table.ts";
import { tellWarnings, withRuntime } from "../../open-runtime.ts";
import { chooseArrow, describeStatus, shortHash, renderStages } from "./view-rollout.ts";
import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { askRollouts, withRollouts } from "./with-rollouts.ts";

/** `deckhand rollout [status] [TOOL]` */
export function runRolloutStatus(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [tool] = invocation.positionals;
  const render = (views: readonly RolloutView[]) => ({
    table: renderRollouts(views, terminal),
    remark: tool === undefined ? remarkOn(views) : undefined,
  });
  if (invocation.has("watch")) {
    return withRuntime(invocation, terminal, async (runtime) => {
      const { watchRollouts } = await import("./watch-rollouts.ts");
      tellWarnings(runtime, terminal);
      const isJson = invocation.has("json");
      return askRollouts(runtime, tool, (rollouts) => watchRollouts({ rollouts, terminal, tool, isJson, render }));
    });
  }
  return withRollouts(invocation, terminal, async (rollouts) => {
    const views = await rollouts.list(tool);
    if (invocation.has("json")) {
      terminal.printJson(tool === undefined ? views.map(viewToWire) : views.map(viewToWire)[0]);
      return;
    }
    const { table, remark } = render(views);
    terminal.print(table);
    if (remark !== undefined) terminal.tell(remark);
  });
}

/** One row and one sentence for each; empty for none. */
export function renderRollouts(
  views: readonly RolloutView[],
  terminal: Pick<Terminal, "env" | "width" | "style">,
): string {
  if (views.length === 0) return "";
  const { width } = terminal;
  const arrow = chooseArrow(terminal);
  return renderExplainedTable({
    columns: [
      { title: "TOOL" },
      { title: "STABLE" },
      { title: "CANARY" },
      { title: "SHARE", align: "right" },
      { title: "STATUS" },
    ],
    rows: views.map((view) => {
      const stages = renderStages(view, arrow);
      return {
        cells: [
          width === undefined ? view.tool : fitWidth(view.tool, Math.max(12, width - otherColumns)),
          shortHash(view.stable),
          view.canary === null ? "-" : shortHash(view.canary),
          view.canary === null ? "-" : `${view.percent} %`,
          describeStatus(view),
        ],
        why: stages === "" ? view.reason : `${stages} | ${view.reason}`,
      };
    }),
    width,
    style: (cell, column) => {
      if (column === 0) return terminal.style("bold", cell);
      const color = column === 4 ? colors[cell] : undefined;
      return color === undefined ? cell : terminal.style(color, cell);
    },
  });
}

/** What to do where nothing is tried; undefined where something is. */
export function remarkOn(views: readonly RolloutView[]): string | undefined {
  if (views.some(({ status }) => status !== "none")) return undefined;
  if (views.length === 0) {
    return "No tool file is being tried: there is none here. `deckhand tools new NAME` writes one.";
  }
  if (views.every(({ mode }) => mode === "off")) {
    return 'No tool file is being tried: your edits are live at once. With "rollout": {"mode": "canary"} in deckhand.json a changed file is tried first.';
  }
  return "No tool file is being tried. Change one: its new content gets the first share of the conversations.";
}

/** What the columns behind the first one take. */
const otherColumns = 54;

const colors: Readonly<Record<string, "cyan" | "yellow" | "red" | "green">> = {
  running: "cyan",
  replaying: "cyan",
  held: "yellow",
  "waits for you": "yellow",
  pinned: "yellow",
  blocked: "red",
  "rolled back": "red",
  stable: "green",
};
