import type { Resource, Tool } from "../core/tool.ts";

/** What a call will touch. A tool that does not say, says it badly or breaks on the question may touch everything. */
export function resourcesOf(tool: Tool | null, input: unknown): readonly Resource[] {
  if (!tool) return [];
  const everything: readonly Resource[] = [{ kind: "everything", access: tool.traits.readOnly ? "read" : "write" }];
  try {
    const said: unknown = tool.resources?.(input);
    return Array.isArray(said) && said.every(isResource) ? said : everything;
  } catch {
    return everything;
  }
}

function isResource(value: unknown): value is Resource {
  const { kind, access, path, name } = value as { readonly [key: string]: unknown };
  if (access !== "read" && access !== "write") return false;
  if (kind === "path") return typeof path === "string";
  return kind === "everything" || (kind === "name" && typeof name === "string");
}
