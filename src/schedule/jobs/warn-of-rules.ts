import type { JobGrant } from "../../core/job.ts";
import type { Catalog } from "../../engine/catalog.ts";
import { parseRule } from "../../permissions/rules/permission-rule.ts";

/** Rules that speak of no tool at all. */
const ownRules: ReadonlySet<string> = new Set(["improve"]);

/** A sentence for each rule of a grant that is about a tool which is not here; it may come later. */
export function warnOfRules(
  catalog: Pick<Catalog, "canonicalName" | "suggest">,
  { allow, deny }: JobGrant,
): readonly string[] {
  return [...allow, ...deny].flatMap((text) => {
    const { tool } = parseRule(text, (name) => catalog.canonicalName(name));
    // Servers of MCP are not started for this, so what they offer is not known.
    const isKnown = tool.includes("*") || tool.startsWith("mcp_") || ownRules.has(tool) || catalog.canonicalName(tool);
    if (isKnown) return [];
    const [meant] = catalog.suggest(tool);
    const hint = meant === undefined ? "See `deckhand tools`." : `Did you mean ${meant}?`;
    return [`The rule ${JSON.stringify(text)} is about no tool that is here: there is none named "${tool}". ${hint}`];
  });
}
