import { createTrust } from "../../../permissions/trust/open-trust.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { findWaiting, grantWaiting, isNothing, renderWaiting } from "../agent/offer-trust.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { readLine } from "../../terminal/read-line.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

type OpenTrust = ReturnType<typeof createTrust>;

/** `deckhand trust [FILE…]` */
export async function runTrust(invocation: Invocation, terminal: Terminal): Promise<number> {
  const trust = createTrust(chooseWorkdir(invocation, terminal.env), terminal.env);
  if (invocation.has("status")) return showStatus(trust, invocation, terminal);
  refuseInsideCall(terminal);
  if (invocation.has("revoke")) {
    const had = trust.revoke();
    terminal.tell(had ? "Nothing here is trusted any more." : "Nothing here was trusted.");
    return exitCode.done;
  }
  if (invocation.has("adopt")) {
    if (!(await confirm(invocation, terminal, `Take over ${trust.dataFolder} with all records in it?`)))
      return exitCode.refused;
    trust.adopt();
    terminal.tell(`${trust.dataFolder} is yours now.`);
    return exitCode.done;
  }
  return grant(trust, invocation, terminal);
}

async function grant(trust: OpenTrust, invocation: Invocation, terminal: Terminal): Promise<number> {
  const named = invocation.positionals;
  const all = trust.files();
  const changed = trust.definitions();
  const unknown = named.find((path) => ![...all, ...changed].some((file) => file.path === path));
  if (unknown !== undefined) {
    const known = [...all, ...changed].map(({ path }) => path).join(", ") || "none here";
    throw new UsageError(`"${unknown}" is not a file that needs trust; those are: ${known}.`);
  }
  const waiting = findWaiting(trust, named);
  if (isNothing(waiting)) {
    terminal.tell("There is nothing here that still needs your trust.");
    return exitCode.done;
  }
  terminal.show(renderWaiting(trust, waiting, { style: terminal.styleError, maxLines: 60 }));
  const question =
    "These can run code or widen what is allowed. Have you looked at them, and do you trust them as they are now?";
  if (!(await confirm(invocation, terminal, question))) {
    terminal.tell("Nothing was trusted.");
    return exitCode.refused;
  }
  terminal.tell(`Trusted: ${grantWaiting(trust, waiting).join(", ")}.`);
  return exitCode.done;
}

function showStatus(trust: OpenTrust, invocation: Invocation, terminal: Terminal): number {
  const files = trust.files();
  const quarantined = trust.quarantined();
  if (invocation.has("json")) {
    const waiting = quarantined.map(({ path, executionId, reason }) => ({
      file: path,
      execution_id: executionId,
      reason,
    }));
    const definitions = trust.definitions().map(({ server, tool, reason }) => ({ server, tool, reason }));
    terminal.printJson({ files, quarantined: waiting, definitions });
    return exitCode.done;
  }
  if (files.length === 0) terminal.tell("This folder brings nothing that would need trust.");
  else {
    terminal.print(
      renderTable({
        columns: [{ title: "STATUS" }, { title: "FILE" }],
        rows: files.map(({ path, status }) => [status, path]),
        width: terminal.width,
      }),
    );
  }
  for (const { path, reason } of [...quarantined, ...trust.definitions()])
    terminal.tell(`${path}: ${reason}. It waits for your approval: deckhand trust.`);
  return exitCode.done;
}

async function confirm(invocation: Invocation, terminal: Terminal, question: string): Promise<boolean> {
  if (invocation.has("yes")) return true;
  if (!terminal.isInteractive) {
    terminal.tell("deckhand: there is no terminal to ask on; say --yes when you have looked at it.");
    return false;
  }
  const typed = await readLine(terminal, `${question} [y/N] `, new AbortController().signal);
  return typed !== null && /^y(es)?$/i.test(typed.trim());
}
