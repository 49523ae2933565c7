import { messageOf } from "../core/errors.ts";
import { openNamedModel, type ChosenModel } from "../runtime/open-named-model.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** Which model a conversation would talk to. It is opened as a conversation would open it; nothing is sent to it. */
export async function checkModel({ configuration, env, folders }: Subject): Promise<Check> {
  let chosen: ChosenModel;
  try {
    chosen = await openNamedModel({ configuration, env, workdir: folders.workdir }, undefined);
  } catch (thrown) {
    return problem("model", messageOf(thrown), "Correct that, or choose another model; see docs/models.md.");
  }
  if (chosen.model === null) {
    const fix = "Set a key such as ANTHROPIC_API_KEY, or start Ollama; docs/models.md has the other ways.";
    return warning("model", "No model is set: conversations and `deckhand run` need one.", fix);
  }
  return ok("model", `${chosen.model.id}, ${chosen.why}. Nothing was sent to it.`);
}
