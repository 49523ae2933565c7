import { permissionModes, type PermissionMode } from "../../core/permission.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/mode [MODE]` */
export function changeMode({ runtime, say }: ReplContext, rest: string): void {
  if (rest === "") return say(`The mode is ${runtime.permissionMode}; there are: ${permissionModes.join(", ")}.`);
  if (!permissionModes.includes(rest as PermissionMode)) {
    return say(`"${rest}" is no mode; there are: ${permissionModes.join(", ")}.`);
  }
  runtime.permissionMode = rest as PermissionMode;
  say(`The mode is ${rest} now.`);
}

/** `never` is for programs that run alone: nobody comes to it by pressing a key once too often. */
const cycle: readonly PermissionMode[] = ["ask", "accept-edits", "auto", "plan"];

/** Shift-Tab. The row of the status says what it is now. */
export function nextMode({ runtime }: Pick<ReplContext, "runtime">): void {
  runtime.permissionMode = cycle[(cycle.indexOf(runtime.permissionMode) + 1) % cycle.length] ?? "ask";
}
