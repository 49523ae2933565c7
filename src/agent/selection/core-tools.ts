import type { Tool } from "../../core/tool.ts";

/** What nearly every task needs: offered whatever the prompt says, in this order. */
const always = ["read", "write", "edit", "list_files", "glob", "grep", "bash", "ask_user"];

/** With these a model reaches what was left out; without anything left out they are only noise. */
const bridgeNames: readonly string[] = ["find_tools", "call_tool"];

export function isCoreTool({ name, traits }: Tool): boolean {
  return always.includes(name) || traits.category === "skills";
}

export function isBridgeTool({ name }: Tool): boolean {
  return bridgeNames.includes(name);
}

/** The core first, in its fixed order; the rest by name; the bridge at the end. */
export function inOfferOrder(tools: readonly Tool[]): Tool[] {
  return tools.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1));
}

function placeOf(tool: Tool): number {
  const place = always.indexOf(tool.name);
  if (place >= 0) return place;
  return isBridgeTool(tool) ? always.length + 1 : always.length;
}
