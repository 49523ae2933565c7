import { toWire } from "../../../core/wire.ts";
import { openNamedTokens, type NamedTokens } from "../../../daemon/access/named-tokens.ts";
import { rights, type Right } from "../../../daemon/server/route.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { lookForDaemon } from "./serve-client.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface TokenView {
  readonly tokens: NamedTokens;
  readonly invocation: Invocation;
  readonly terminal: Terminal;
}

/** `deckhand serve token [list]|add NAME|remove NAME`. What is changed counts at once, also in a daemon that runs. */
export async function runServeToken(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [action = "list", name] = invocation.positionals;
  const { folders } = lookForDaemon(invocation, terminal);
  const view = { tokens: openNamedTokens(folders.state), invocation, terminal };
  if (action === "list") return listTokens(view);
  if (action !== "add" && action !== "remove") {
    throw new UsageError(`"${action}" is not add, list or remove: deckhand serve token add NAME --rights read,run.`);
  }
  if (name === undefined) throw new UsageError(`NAME is missing: deckhand serve token ${action} NAME.`);
  refuseInsideCall(terminal);
  return action === "add" ? addToken(view, name) : removeToken(view, name);
}

function listTokens({ tokens, invocation, terminal }: TokenView): number {
  const list = tokens.list();
  if (invocation.has("json")) terminal.printJson(toWire(list));
  else if (list.length === 0) terminal.tell("There are no tokens beside your own and the one for MCP clients.");
  else {
    terminal.print(
      renderTable({
        columns: [{ title: "NAME" }, { title: "RIGHTS" }, { title: "MADE" }],
        rows: list.map(({ name, rights: has, createdAt }) => [name, has.join(", "), new Date(createdAt).toISOString()]),
        width: terminal.width,
      }),
    );
  }
  return exitCode.done;
}

function addToken({ tokens, invocation, terminal }: TokenView, name: string): number {
  const wanted = readRights(invocation.value("rights"));
  const token = tokens.add(name, wanted, Date.now());
  if (invocation.has("json")) terminal.printJson({ name, rights: wanted, token });
  else {
    terminal.tell(`The token of "${name}", which may ${wanted.join(", ")}. It is shown this once:`);
    terminal.print(`${token}\n`);
  }
  return exitCode.done;
}

function removeToken({ tokens, invocation, terminal }: TokenView, name: string): number {
  const isRemoved = tokens.remove(name);
  if (invocation.has("json")) terminal.printJson({ name, removed: isRemoved });
  else terminal.tell(isRemoved ? `The token "${name}" lets nobody in any more.` : `There is no token "${name}".`);
  return isRemoved ? exitCode.done : exitCode.failed;
}

function readRights(given: string | undefined): readonly Right[] {
  if (given === undefined) throw new UsageError(`--rights is missing: any of ${rights.join(",")}.`);
  const words = given.split(",").map((word) => word.trim().toLowerCase());
  const wrong = words.find((word) => !rights.some((right) => right === word));
  if (wrong !== undefined) throw new UsageError(`--rights takes any of ${rights.join(",")}; got "${wrong}".`);
  return rights.filter((right) => words.includes(right));
}
