import { messageOf } from "../../../core/errors.ts";
import { nearest } from "../../../core/nearest.ts";
import { toWire } from "../../../core/wire.ts";
import { createChecker, isPathOperation, pathOperations, type Checker } from "../../../permissions/checker.ts";
import { cleanText } from "../../../guard/terminal-text/clean-text.ts";
import { answerLine, checkKinds, type CheckKind } from "./check-line.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { describeCommandCheck, describePathCheck, describeUrlCheck } from "./describe-check.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { readLines } from "../../terminal/json-lines.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand check command|path|url|text [VALUE]`, or many of them with `--stdin`. No runtime is opened for it. */
export async function runCheck(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [kindName, value] = invocation.positionals;
  const kind = kindName === undefined ? undefined : parseKind(kindName);
  const fromStdin = invocation.has("stdin");
  if (fromStdin && value !== undefined) throw new UsageError("VALUE and --stdin exclude each other: leave one out.");
  if (invocation.has("op") && (fromStdin || kind !== "path")) {
    throw new UsageError(`--op belongs to "deckhand check path PATH"; with --stdin each line has its own "op".`);
  }
  const operation = invocation.value("op") ?? "read";
  if (!isPathOperation(operation)) {
    throw new UsageError(
      `"${operation}" is nothing that can be done with a path; --op is one of ${pathOperations.join(", ")}.`,
    );
  }
  const checker = createChecker({
    workdir: chooseWorkdir(invocation, terminal.env),
    env: terminal.env,
    resolvesNames: invocation.has("resolve"),
  });
  if (fromStdin) return checkLines(kind, checker, terminal);
  if (kind === undefined) throw new UsageError(`Say what to check: deckhand check ${checkKinds.join("|")} VALUE.`);
  if (value === undefined) {
    throw new UsageError(
      `VALUE is missing: deckhand check ${kind} VALUE, or --stdin for many, one JSON object per line.`,
    );
  }
  return checkOne({ kind, value, operation }, checker, {
    terminal,
    asJson: invocation.has("json"),
  });
}

interface Question {
  readonly kind: CheckKind;
  readonly value: string;
  readonly operation: string;
}

async function checkOne(
  { kind, value, operation }: Question,
  checker: Checker,
  { terminal, asJson }: { readonly terminal: Terminal; readonly asJson: boolean },
): Promise<number> {
  const finish = (document: unknown, description: string, isFine: boolean): number => {
    if (asJson) terminal.printJson(toWire(document));
    else terminal.print(description);
    return isFine ? exitCode.done : exitCode.refused;
  };
  switch (kind) {
    case "command": {
      const check = await checker.command(value);
      const isFine = check.verdict === "safe" && check.rule?.effect !== "deny";
      return finish(check, describeCommandCheck(check, terminal), isFine);
    }
    case "path": {
      const check = await checker.path(value, { operation });
      return finish(check, describePathCheck(check, terminal), check.allowed);
    }
    case "url": {
      const check = await checker.url([{ url: value }]);
      return finish(check, describeUrlCheck(check, terminal), check.allowed);
    }
    case "text": {
      const check = await checker.text(value);
      return finish(check, `${terminal.width === undefined ? check.text : cleanText(check.text)}\n`, true);
    }
  }
}

async function checkLines(kind: CheckKind | undefined, checker: Checker, terminal: Terminal): Promise<number> {
  const lines = readLines(terminal.stdin);
  for (;;) {
    const { value: line } = await lines.next().catch((thrown: unknown) => {
      throw new UsageError(`The lines can't be read from stdin: ${messageOf(thrown)}.`);
    });
    if (line === undefined) return exitCode.done;
    terminal.printJsonLine(await answerLine(line, kind, checker));
    if (terminal.isBehind()) await terminal.flush();
    if (terminal.isClosed()) return exitCode.done;
  }
}

function parseKind(name: string): CheckKind {
  const kind = checkKinds.find((each) => each === name);
  if (kind !== undefined) return kind;
  const [meant] = nearest(name, checkKinds, 1);
  const hint = meant === undefined ? `Expected ${checkKinds.join(", ")}.` : `Did you mean "${meant}"?`;
  throw new UsageError(`"${name}" is nothing that can be checked. ${hint}`);
}
