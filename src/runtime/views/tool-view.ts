import type { Tool } from "../../core/tool.ts";
import { toWire } from "../../core/wire.ts";
import type { Runtime } from "../runtime.ts";
import { originOf, originToWire } from "./tool-origin.ts";

/** All tools, as `tools --json` shows them. */
export function toolsToWire(runtime: Runtime): object[] {
  return runtime.tools.list().map((tool) => toolToWire(runtime, tool));
}

/** One tool; of one that is not built in also where it comes from. */
export function toolToWire(runtime: Runtime, tool: Tool): object {
  const { name, description, traits, version, inputSchema } = tool;
  const origin = originOf(runtime, tool);
  return toWire({
    name,
    description,
    aliases: runtime.tools.aliasesOf(name),
    ...traits,
    timeoutMs: runtime.timeLimits(tool).timeoutMs,
    version,
    inputSchema,
    ...(origin && originToWire(origin)),
  }) as object;
}
