import type { RolloutEvent } from "../../../core/stores.ts";
import { toWire } from "../../../core/wire.ts";
import { type Invocation, readLimit } from "../../parser/command.ts";
import { renderExplainedTable } from "../../terminal/table.ts";
import { shortHash } from "./view-rollout.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { withRollouts } from "./with-rollouts.ts";

const defaultLimit = 20;

/** `deckhand rollout history [TOOL]` */
export function runRolloutHistory(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const [tool] = invocation.positionals;
  return withRollouts(invocation, terminal, async (rollouts) => {
    const events = await rollouts.history({ limit, ...(tool === undefined ? {} : { tool }) });
    if (invocation.has("json")) terminal.printJson(events.map(toWire));
    else if (events.length > 0) terminal.print(renderHistory(events, terminal));
    else
      terminal.tell(tool === undefined ? "No version of a tool file has a history here." : `${tool} has no history.`);
  });
}

/** Newest first, as they come. */
export function renderHistory(events: readonly RolloutEvent[], terminal: Pick<Terminal, "width" | "style">): string {
  return renderExplainedTable({
    columns: [
      { title: "NO", align: "right" },
      { title: "TIME (UTC)" },
      { title: "TOOL" },
      { title: "VERSION" },
      { title: "WHAT" },
      { title: "WHO" },
    ],
    rows: events.map(({ id, at, tool, version, type, by, who, reason }) => ({
      cells: [
        String(id),
        new Date(at).toISOString().slice(0, 16).replace("T", " "),
        tool,
        version === null ? "-" : shortHash(version),
        type.replaceAll("_", " "),
        by === "person" ? (who ?? "a person") : by,
      ],
      why: reason,
    })),
    width: terminal.width,
    style: (cell, column) => {
      const color = column === 4 ? colors[cell] : undefined;
      return color === undefined ? cell : terminal.style(color, cell);
    },
  });
}

const colors: Readonly<Record<string, "cyan" | "yellow" | "red" | "green">> = {
  started: "cyan",
  advanced: "cyan",
  promoted: "green",
  live: "green",
  held: "yellow",
  inconclusive: "yellow",
  "approval needed": "yellow",
  "rolled back": "red",
};
