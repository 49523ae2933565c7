import { describeToolProblems } from "../commands/tools/tools-command.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/reload-tools`: says what is different, and what is wrong. */
export async function reloadTools({ runtime, say }: ReplContext): Promise<void> {
  const { added, changed, removed } = await runtime.reloadTools();
  const { files } = runtime.customTools();
  const live = files.filter(({ tool }) => tool !== null).length;
  const parts = [tellNames("new", added), tellNames("changed", changed), tellNames("gone", removed)].filter(Boolean);
  const count = `${live} ${live === 1 ? "tool comes" : "tools come"} from files`;
  if (files.length === 0 && parts.length === 0) {
    return say(`There are ${countTools(runtime)} tools; none of them comes from a file.`);
  }
  say(`${count}; ${parts.join("; ") || "nothing changed"}.`);
  for (const problem of describeToolProblems(runtime)) say(problem);
}

/** The two tools that lead to others appear only with the first prompt: they are not counted, so that the number stays. */
export function countTools({ tools }: Pick<Runtime, "tools">): number {
  return tools.list("agent").filter(({ name }) => name !== "find_tools" && name !== "call_tool").length;
}

function tellNames(what: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `${what}: ${names.join(", ")}`;
}
