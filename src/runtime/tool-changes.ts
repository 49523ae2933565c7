import type { ToolChange } from "../agent/agent.ts";
import { isBridgeTool } from "../agent/selection/core-tools.ts";
import type { ToolOffer } from "../core/model.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import { lacksTools } from "./offered-tools.ts";

/** Notices, at the boundary of two turns, that tools are others than those a conversation was told of. */
export function watchToolChanges(
  wiring: AgentWiring,
): (offers: readonly ToolOffer[], prompt: string) => Promise<ToolChange> {
  const { catalog, workshop } = wiring;
  let known = versions();

  function versions(): ReadonlyMap<string, string> {
    const live = workshop.status().files.flatMap(({ tool, version }) => (tool && version ? [[tool, version]] : []));
    return new Map(live as [string, string][]);
  }

  function isOther(offer: ToolOffer): boolean {
    const tool = catalog.resolve(offer.name);
    if (!tool || tool.name !== offer.name) return true;
    // What the bridge says of itself was written for this conversation.
    if (isBridgeTool(tool) || tool.version === "builtin") return false;
    return (
      tool.description !== offer.description || JSON.stringify(tool.inputSchema) !== JSON.stringify(offer.inputSchema)
    );
  }

  return async (offers, prompt) => {
    await workshop.refresh();
    const before = known;
    known = versions();
    const others = offers.filter(isOther).map(({ name }) => name);
    const added = [...known.keys()].filter((name) => !before.has(name) && !others.includes(name));
    const changed = [...known].flatMap(([name, version]) =>
      before.has(name) && before.get(name) !== version && !others.includes(name) ? [name] : [],
    );
    const isShort = lacksTools(
      wiring,
      offers.map(({ name }) => name),
      prompt,
    );
    const notes = [
      ...(added.length === 0 || isShort
        ? []
        : [`New tools since then: ${added.join(", ")}; call_tool runs them, find_tools says how.`]),
      ...(changed.length === 0 ? [] : [`Changed since then, with the same input: ${changed.join(", ")}.`]),
    ];
    return { others, isShort, note: notes.length === 0 ? null : notes.join(" ") };
  };
}
