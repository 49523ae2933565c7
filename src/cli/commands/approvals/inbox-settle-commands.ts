import type { GrantScope } from "../../../core/approval.ts";
import { toWire } from "../../../core/wire.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { findInboxEntry } from "./find-inbox-entry.ts";
import { withRuntime } from "../../open-runtime.ts";
import { userName } from "../../../config/user-name.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";

type Settled = Awaited<ReturnType<Runtime["inbox"]["answer"]>>;

/** `deckhand inbox answer ID [TEXT]` */
export function runInboxAnswer(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [, text] = invocation.positionals;
  const options = invocation
    .values("option")
    .flatMap((value) => value.split(","))
    .map(readOption);
  const given = { ...(text === undefined ? {} : { text }), ...(options.length === 0 ? {} : { options }) };
  return settle(invocation, terminal, (runtime, id) => runtime.inbox.answer(id, given, userName()));
}

/** `deckhand inbox approve ID` */
export function runInboxApprove(invocation: Invocation, terminal: Terminal): Promise<number> {
  const scope = readScope(invocation.value("scope"));
  return settle(invocation, terminal, (runtime, id) => runtime.inbox.decide(id, { allow: true, scope }, userName()));
}

/** `deckhand inbox deny ID` */
export function runInboxDeny(invocation: Invocation, terminal: Terminal): Promise<number> {
  const reason = invocation.value("reason");
  const decision = { allow: false, ...(reason === undefined ? {} : { reason }) };
  return settle(invocation, terminal, (runtime, id) => runtime.inbox.decide(id, decision, userName()));
}

async function settle(
  invocation: Invocation,
  terminal: Terminal,
  act: (runtime: Runtime, id: string) => Promise<Settled>,
): Promise<number> {
  refuseInsideCall(terminal);
  return withRuntime(invocation, terminal, async (runtime) => {
    const { id } = await findInboxEntry(runtime, invocation.positionals[0]!);
    const settled = await act(runtime, id);
    if (invocation.has("json")) {
      terminal.printJson(
        settled.ok ? { settled: true, entry: toWire(settled.entry) } : { settled: false, problem: settled.problem },
      );
    } else terminal.tell(settled.ok ? `${id} is ${settled.entry.state}.` : `deckhand: ${settled.problem}`);
    return settled.ok ? exitCode.done : exitCode.failed;
  });
}

function readScope(given: string | undefined): GrantScope {
  const scopes = ["once", "conversation", "always"] as const;
  if (given === undefined) return "once";
  const scope = scopes.find((each) => each === given);
  if (scope) return scope;
  throw new UsageError(`--scope is one of ${scopes.join(", ")}; got "${given}".`);
}

function readOption(given: string): number {
  if (/^\s*\d{1,3}\s*$/.test(given)) return Number(given);
  throw new UsageError(`--option takes the number of an option, from 1 on; got "${given}".`);
}
