import { codeOf, messageOf } from "../../../core/errors.ts";
import { toWire } from "../../../core/wire.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { CheckRow, Improvement, ImproveOrder } from "../../../tool-files/improve/improve-tool.ts";
import { withRuntime } from "../../open-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { readLine } from "../../terminal/read-line.ts";
import { renderTable } from "../../terminal/table.ts";
import { neutralizeLine, neutralizeText, styleDiff, wrapLines } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";

/** `deckhand improve TOOL` */
export async function runImprove(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  const numbers = readNumbers(invocation);
  const mayAsk = terminal.isInteractive && !invocation.has("json");
  if (!mayAsk && !invocation.has("yes") && !invocation.has("dry-run")) {
    throw new UsageError(
      "Nobody can be asked here: add --yes to begin when all checks pass, or --dry-run to only see what they say.",
    );
  }
  return withRuntime(invocation, terminal, async (runtime) => {
    const stop = new AbortController();
    const watch = watchSignals(terminal, () => stop.abort(new Error("Stopped")));
    const printer = createPrinter(invocation, terminal);
    try {
      const order = { ...numbers, ...askPerson(invocation, terminal, { mayAsk, printer, signal: stop.signal }) };
      const improvement = await improve(runtime, terminal, { invocation, order: { ...order, signal: stop.signal } });
      printer.end(improvement);
      if (improvement.outcome === "stopped") return watch.signal ? codeOfSignal[watch.signal] : exitCode.cancelled;
      return codeOfOutcome(improvement, order.isDryRun);
    } finally {
      terminal.status(null);
      watch.end();
    }
  });
}

type PersonsPart = Pick<ImproveOrder, "isDryRun" | "mayReach" | "confirm" | "onStep" | "onRefused">;

async function improve(
  runtime: Runtime,
  terminal: Terminal,
  {
    invocation,
    order,
  }: { invocation: Invocation; order: PersonsPart & Pick<ImproveOrder, "attempts" | "cases" | "signal"> },
): Promise<Improvement> {
  const agent = invocation.value("agent");
  try {
    return await runtime.improveTool({
      ...order,
      tool: invocation.positionals[0]!,
      ...(agent === undefined ? {} : { agent: { name: agent, model: invocation.value("model") ?? null } }),
      async openModel() {
        const chosen = await runtime.openModel(invocation.value("model"));
        if (chosen.model) return chosen.model;
        terminal.tell(chosen.advice.trimEnd());
        throw new UsageError("There is no model to ask; name one with --model.");
      },
    });
  } catch (thrown) {
    if (codeOf(thrown) === "UNKNOWN_TOOL") throw new UsageError(messageOf(thrown), { cause: thrown });
    throw thrown;
  }
}

function askPerson(
  invocation: Invocation,
  terminal: Terminal,
  { mayAsk, printer, signal }: { readonly mayAsk: boolean; readonly printer: Printer; readonly signal: AbortSignal },
): PersonsPart {
  const allowed = invocation.values("allow-capability").flatMap((names) => names.split(","));
  const ask = async (question: string): Promise<boolean> => {
    const typed = await readLine(terminal, `${question} [y/N] `, signal);
    return /^y(?:es)?$/i.test(typed?.trim() ?? "");
  };
  return {
    isDryRun: invocation.has("dry-run"),
    async mayReach(names, diff) {
      const rest = names.filter((name) => !allowed.includes(name));
      if (rest.length === 0) return true;
      if (!mayAsk) return false;
      terminal.status(null);
      terminal.show(renderProposal({ summary: "", diff }, terminal.styleError));
      return ask(`It would newly reach ${rest.join(", ")}, and is not run before you say so. Allow that?`);
    },
    async confirm(improvement) {
      terminal.status(null);
      printer.show(improvement);
      return invocation.has("yes") || (mayAsk && (await ask("Begin to try it?")));
    },
    onStep: (step) => terminal.status(`${step} …`),
    onRefused: (reason) => terminal.tell(`Refused: ${reason} Asking again.`),
  };
}

interface Printer {
  show(improvement: Improvement): void;
  end(improvement: Improvement): void;
}

function createPrinter(invocation: Invocation, terminal: Terminal): Printer {
  const asJson = invocation.has("json");
  let isShown = asJson;
  const show = (improvement: Improvement): void => {
    if (isShown || improvement.attempts.length === 0) return;
    isShown = true;
    if (improvement.diff !== "") terminal.print(`${renderProposal(improvement, terminal.style)}\n`);
    terminal.print(renderChecks(improvement, terminal));
  };
  return {
    show,
    end(improvement) {
      terminal.status(null);
      show(improvement);
      if (asJson) terminal.printJson(toWire(improvement));
      else terminal.tell(improvement.sentence);
    },
  };
}

function codeOfOutcome({ outcome }: Improvement, isDryRun: boolean): number {
  if (outcome === "started" || (outcome === "passed" && isDryRun)) return exitCode.done;
  return outcome === "declined" ? exitCode.refused : exitCode.failed;
}

function readNumbers(invocation: Invocation): Pick<ImproveOrder, "attempts" | "cases"> {
  const cases = readNumber(invocation, "cases", { least: 0, most: 1000 });
  const attempts = readNumber(invocation, "attempts", { least: 1, most: 10 }) ?? 3;
  return { attempts, ...(cases === undefined ? {} : { cases }) };
}

function readNumber(
  invocation: Invocation,
  option: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const given = invocation.value(option);
  if (given === undefined) return undefined;
  const number = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${option} takes a whole number from ${least} to ${most}, got "${given}".`);
}

/** What the model says that it changed, and what it changed. */
function renderProposal({ summary, diff }: Pick<Improvement, "summary" | "diff">, style: Terminal["style"]): string {
  const shown = styleDiff(neutralizeText(diff).trimEnd(), style);
  return summary === "" ? shown : `${neutralizeLine(summary)}\n\n${shown}\n`;
}

/** The checks of the last proposal. What was not passed is told whole below. */
function renderChecks({ attempts }: Improvement, { width, style }: Pick<Terminal, "width" | "style">): string {
  const checks = attempts.at(-1)?.checks ?? [];
  const table = renderTable({
    columns: [{ title: "CHECK" }, { title: "RESULT" }, { title: "WHY" }],
    rows: checks.map(({ check, state, detail }) => [check, words[state], detail]),
    width,
    style: (cell, column) => (column === 1 ? style(colours[cell] ?? "dim", cell) : cell),
  });
  const open = checks.filter(
    ({ state, detail }) => state !== "passed" && width !== undefined && detail.length > width / 2,
  );
  const told = open.map(({ check, detail }) => wrapLines(`${check}: ${neutralizeText(detail)}`, width));
  return told.length === 0 ? table : `${table}\n${told.join("\n")}\n`;
}

const words: Readonly<Record<CheckRow["state"], string>> = {
  passed: "passed",
  failed: "FAILED",
  not_checked: "not checked",
};
const colours: Readonly<Record<string, "green" | "red" | "yellow">> = {
  passed: "green",
  FAILED: "red",
  "not checked": "yellow",
};
