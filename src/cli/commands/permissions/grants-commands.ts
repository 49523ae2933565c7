import { openWorkdirGrants } from "../../../permissions/open-grants.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { formatAge } from "../../../core/time.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand grants [list]` */
export async function runGrantsList(invocation: Invocation, terminal: Terminal): Promise<number> {
  const grants = openWorkdirGrants(chooseWorkdir(invocation, terminal.env), terminal.env).list();
  if (invocation.has("json")) {
    terminal.printJson(
      grants.map(({ rule, scope, conversationId, who, at }) => ({
        rule,
        scope,
        conversation_id: conversationId,
        who,
        at: new Date(at).toISOString(),
      })),
    );
  } else if (grants.length === 0) terminal.tell("Nothing was granted here for longer than one call.");
  else {
    const now = Date.now();
    terminal.print(
      renderTable({
        columns: [
          { title: "#", align: "right" },
          { title: "SCOPE" },
          { title: "WHO" },
          { title: "AGE", align: "right" },
          { title: "RULE" },
        ],
        rows: grants.map(({ rule, scope, who, at }, index) => [
          String(index + 1),
          scope,
          who,
          formatAge(now - at),
          rule,
        ]),
        width: terminal.width,
      }),
    );
  }
  return exitCode.done;
}

/** `deckhand grants revoke [NUMBER…]` */
export async function runGrantsRevoke(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  const grants = openWorkdirGrants(chooseWorkdir(invocation, terminal.env), terminal.env);
  const [which] = invocation.positionals;
  const all = grants.list();
  if (which === undefined && !invocation.has("all")) {
    throw new UsageError("Which one? Give its number in `deckhand grants`, or --all.");
  }
  const index = which === undefined ? undefined : Number(which) - 1;
  const meant = index === undefined ? all : all.slice(index, index + 1);
  if (index !== undefined && (!Number.isInteger(index) || index < 0 || meant.length === 0)) {
    throw new UsageError(`There is no grant ${which}; there are ${all.length}. See deckhand grants.`);
  }
  const revoked = grants.revoke((grant) => meant.includes(grant));
  if (invocation.has("json")) terminal.printJson({ revoked });
  else terminal.tell(revoked === 1 ? "One grant was taken back." : `${revoked} grants were taken back.`);
  return exitCode.done;
}
