import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "../../../core/clock.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { formatAge } from "../../../core/time.ts";
import type { SessionEntry } from "../../../core/session.ts";
import { toWire } from "../../../core/wire.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { withRuntime } from "../../open-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { endSession } from "./open-cli-agent.ts";

/** `deckhand sessions` */
export async function runSessions(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation);
  return withRuntime(invocation, terminal, async (runtime) => {
    const sessions = await (await runtime.sessions()).list(limit);
    if (invocation.has("json")) terminal.printJson(sessions.map(toWire));
    else if (sessions.length === 0) terminal.tell("There is no conversation here yet; `deckhand` starts one.");
    else {
      const now = systemClock.now();
      terminal.print(
        renderTable({
          columns: [
            { title: "SESSION" },
            { title: "AGE", align: "right" },
            { title: "PROMPTS", align: "right" },
            { title: "CALLS", align: "right" },
            { title: "MODEL" },
            { title: "BEGINS" },
          ],
          rows: sessions.map(({ id, updatedAt, prompts, calls, model, title, isOpen, problem }) => [
            id,
            formatAge(now - updatedAt),
            String(prompts),
            String(calls),
            model,
            [title, isOpen ? "(in use)" : "", problem === null ? "" : `(${problem})`].filter(Boolean).join(" "),
          ]),
          width: terminal.width,
        }),
      );
    }
    return exitCode.done;
  });
}

/** `deckhand reset` */
export async function runReset(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    const ended = await endLatest(runtime);
    if (invocation.has("json")) terminal.printJson({ session: ended });
    else if (ended === null) terminal.tell("There is no conversation to forget.");
    else terminal.tell(`The next --continue starts anew. The old one stays: deckhand resume ${ended.slice(-8)}`);
    return exitCode.done;
  });
}

async function endLatest(runtime: Runtime): Promise<string | null> {
  try {
    return await endSession(runtime, "latest");
  } catch (thrown) {
    if (codeOf(thrown) !== "SESSION_UNKNOWN") throw thrown;
    return null;
  }
}

/** `deckhand record [SESSION]` */
export async function runRecord(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    const session = await (await runtime.sessions()).read(invocation.positionals[0] ?? "latest");
    const script = await scriptOfSession(session.branch);
    if (script === null) throw new UsageError(`In ${session.id} the model said nothing that could be played again.`);
    for (const problem of session.problems) terminal.tell(`deckhand: warning: ${problem}`);
    const output = invocation.value("output");
    if (output === undefined) terminal.print(script);
    else {
      await writeNew(resolve(output), script);
      terminal.tell(`Written: ${output}. Play it: deckhand run --model script:${output} "…"`);
    }
    return exitCode.done;
  });
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw new UsageError(`${path} can't be written: ${messageOf(thrown)}.`);
    throw new UsageError(`${path} is there already; name another file, or remove it first.`);
  }
}

function readLimit(invocation: Invocation): number {
  const given = invocation.value("limit") ?? "20";
  const limit = Number(given);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new UsageError(`--limit takes a whole number from 1 on; got "${given}".`);
}

/** A conversation as a script that a scripted model plays, as the text of its file; null when it has no reply. */
async function scriptOfSession(entries: readonly SessionEntry[]): Promise<string | null> {
  if (!entries.some(({ type }) => type === "assistant")) return null;
  const { serializeScript, toScript } = await import("../../../../packages/testing/src/record.ts");
  return serializeScript(toScript(entries));
}
