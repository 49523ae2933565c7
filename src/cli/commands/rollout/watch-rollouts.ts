import { setTimeout as wait } from "node:timers/promises";
import type { Rollouts, RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";
import { viewToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { chooseArrow, describeStatus, renderStages, shortHash } from "./view-rollout.ts";
import { neutralizeLine, wrapLines } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";

const pollMs = 500;

interface Watching {
  readonly rollouts: Rollouts;
  readonly terminal: Terminal;
  readonly tool: string | undefined;
  readonly isJson: boolean;
  /** As it is on a terminal: a table, and what there is to say about it. */
  readonly render: (views: readonly RolloutView[]) => { readonly table: string; readonly remark: string | undefined };
}

/**
 * Shows how rollouts stand until Ctrl-C, or until whoever reads has gone: on a terminal as a table that is drawn again, elsewhere
 * one line for each tool that has changed. It only looks: what is done is done by whoever calls the tools.
 */
export async function watchRollouts(watching: Watching): Promise<number> {
  const { rollouts, terminal, tool, isJson } = watching;
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  const watch = watchSignals(terminal, stop);
  process.stdout.once("error", stop);
  const isDrawn = !isJson && terminal.width !== undefined && terminal.env["TERM"] !== "dumb";
  const show = isDrawn ? drawAgain(watching) : tellChanges(terminal, isJson);
  process.stdout.on("resize", show.resized);
  try {
    while (!enough.signal.aborted && !terminal.isClosed()) {
      show.views(await rollouts.list(tool));
      await wait(pollMs, undefined, { signal: enough.signal }).catch(() => undefined);
    }
    return watch.signal ? codeOfSignal[watch.signal] : exitCode.done;
  } finally {
    process.stdout.off("resize", show.resized);
    process.stdout.off("error", stop);
    watch.end();
  }
}

interface Show {
  views(views: readonly RolloutView[]): void;
  /** The terminal has another size. */
  readonly resized: () => void;
}

function tellChanges(terminal: Terminal, isJson: boolean): Show {
  const known = new Map<string, string>();
  return {
    views(views) {
      for (const view of views) {
        const text = JSON.stringify(view);
        if (known.get(view.tool) === text) continue;
        known.set(view.tool, text);
        if (isJson) terminal.printJsonLine(viewToWire(view));
        else terminal.print(`${describeLine(view, terminal)}\n`);
      }
    },
    resized: () => undefined,
  };
}

function describeLine(view: RolloutView, terminal: Terminal): string {
  const time = new Date().toISOString().slice(0, 19).replace("T", " ");
  const canary = view.canary === null ? "" : ` > ${shortHash(view.canary)} ${view.percent} %`;
  const stages = renderStages(view, chooseArrow(terminal));
  const why = [stages, view.reason].filter((text) => text !== "").join(" | ");
  return neutralizeLine(`${time}  ${view.tool}  ${shortHash(view.stable)}${canary}  ${describeStatus(view)}  ${why}`);
}

function drawAgain({ terminal, render }: Watching): Show {
  let shown: readonly RolloutView[] = [];
  let drawn: string | undefined;

  function draw(before: string): void {
    const { table, remark } = render(shown);
    const notes = [...(remark === undefined ? [] : [remark]), "Ctrl-C ends the watching."];
    const below = notes.map((note) => terminal.style("dim", wrapLines(note, terminal.width))).join("\n");
    const text = fitHeight(`${table}${below}\n`, process.stdout.rows || 24);
    if (text === drawn && before === "") return;
    const height = drawn === undefined ? 0 : drawn.split("\n").length - 1;
    // In one piece: whoever looks sees the one or the other.
    terminal.print(`${before || (height > 0 ? `\u001b[${height}A\r\u001b[J` : "")}${text}`);
    drawn = text;
  }

  return {
    views(views) {
      shown = views;
      draw("");
    },
    // Where the old rows are now nobody knows.
    resized: () => draw("\u001b[H\u001b[2J"),
  };
}

/** What has scrolled away can't be drawn again. */
function fitHeight(text: string, rows: number): string {
  const lines = text.trimEnd().split("\n");
  const most = Math.max(2, rows - 1);
  if (lines.length <= most) return `${lines.join("\n")}\n`;
  return `${lines.slice(0, most - 1).join("\n")}\n… ${lines.length - most + 1} more rows: make the window higher, or name one tool.\n`;
}
