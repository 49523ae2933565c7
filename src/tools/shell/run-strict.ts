import { realpathSync } from "node:fs";
import type { ToolContext, ToolResult } from "../../core/tool.ts";
import { failure } from "../failure.ts";
import { runProgram, type ShellParts, type StrictShell } from "./run-program.ts";

export interface StrictOrder {
  readonly command: string;
  readonly cwd: string;
  readonly background?: boolean | undefined;
}

/** Runs the words of a command without any shell, and only a program of the system: nothing gives them another meaning. */
export async function runStrict(
  parts: ShellParts & { readonly strict: StrictShell },
  { command, cwd, background }: StrictOrder,
  context: ToolContext,
): Promise<ToolResult> {
  if (background) return refused("background processes are not allowed");
  const judged = await parts.strict(command, cwd);
  if (!judged.ok) return refused(judged.reason);
  const [name] = judged.argv;
  if (name.includes("/")) return refused(`a program is named without its folder, got ${JSON.stringify(name)}`);
  const program = { candidates: [judged.argv], subject: "Command", cwd, env: { PATH: systemPath(context) } } as const;
  return runProgram(parts, program, context);
}

function refused(reason: string): ToolResult {
  const said = reason.replace(/\.$/, "");
  return failure("denied", `Refused in strict mode: ${said}.`, "Use one plain command with paths inside the workdir.");
}

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Without folders that commands can write to: what lies there is not the system's. */
function systemPath({ workdir }: ToolContext): string {
  const root = resolveQuietly(workdir);
  return systemFolders.filter((folder) => !`${resolveQuietly(folder)}/`.startsWith(`${root}/`)).join(":");
}

function resolveQuietly(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there, so nothing is found in it
  }
}
