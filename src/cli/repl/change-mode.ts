import { permissionModeNames, type PermissionModeName } from "../../runtime/permission-modes.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/mode [MODE]` */
export function changeMode({ runtime, say }: ReplContext, rest: string): void {
  if (rest === "") return say(`The mode is ${runtime.permissionMode}; there are: ${permissionModeNames.join(", ")}.`);
  if (!permissionModeNames.includes(rest as PermissionModeName)) {
    return say(`"${rest}" is no mode; there are: ${permissionModeNames.join(", ")}.`);
  }
  runtime.permissionMode = rest as PermissionModeName;
  say(`The mode is ${rest} now.`);
}

/** `never` is for programs that run alone: nobody comes to it by pressing a key once too often. */
const cycle: readonly PermissionModeName[] = ["ask", "accept-edits", "auto", "plan"];

/** Shift-Tab. The row of the status says what it is now. */
export function nextMode({ runtime }: Pick<ReplContext, "runtime">): void {
  runtime.permissionMode = cycle[(cycle.indexOf(runtime.permissionMode) + 1) % cycle.length] ?? "ask";
}
