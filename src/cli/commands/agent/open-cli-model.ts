import { messageOf } from "../../../core/errors.ts";
import type { Model } from "../../../core/model.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { Invocation } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/**
 * The model of --model, the one that the conversation to go on with had, or the one there is. Null when there is none: then
 * the person was told what to do.
 */
export async function openCliModel(
  runtime: Runtime,
  terminal: Terminal,
  { invocation, session }: { readonly invocation: Invocation; readonly session?: string },
): Promise<Model | null> {
  const named = invocation.value("model");
  const earlier = named === undefined ? await modelOfSession(runtime, session ?? sessionOf(invocation)) : undefined;
  if (earlier !== undefined) {
    try {
      const { model } = await runtime.openModel(earlier);
      if (model) return model;
    } catch (thrown) {
      // Another provider gets to read the conversation: that is for the person to know.
      terminal.tell(`This conversation was with ${earlier}, which can't be used now: ${messageOf(thrown)}`);
    }
  }
  const chosen = await runtime.openModel(named);
  if (chosen.model) return chosen.model;
  terminal.tell(chosen.advice.trimEnd());
  return null;
}

function sessionOf(invocation: Invocation): string | undefined {
  return invocation.value("session") ?? (invocation.has("continue") ? "latest" : undefined);
}

/** Whoever opens the session says what is wrong with it. */
async function modelOfSession(runtime: Runtime, session: string | undefined): Promise<string | undefined> {
  if (session === undefined) return undefined;
  try {
    const { branch } = await (await runtime.sessions()).read(session);
    return branch.findLast((entry) => "model" in entry)?.model;
  } catch {
    return undefined;
  }
}
