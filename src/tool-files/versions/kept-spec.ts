import type { ToolSpec } from "../host/tool-host.ts";

/** A spec as it was kept. Throws when it is not one, or one of another time. */
export function parseKeptSpec(text: string): ToolSpec {
  const kept = JSON.parse(text) as { readonly v?: unknown; readonly spec?: Partial<ToolSpec> };
  const spec = kept.spec;
  const isWhole =
    kept.v === 1 &&
    typeof spec?.name === "string" &&
    typeof spec.description === "string" &&
    isObject(spec.inputSchema) &&
    isObject(spec.traits) &&
    Array.isArray(spec.cases) &&
    (spec.outputSchema === undefined || isObject(spec.outputSchema)) &&
    (spec.judge === undefined || typeof spec.judge === "string") &&
    isLimit(spec.timeoutMs) &&
    isLimit(spec.idleMs) &&
    (spec.resources === undefined || Array.isArray(spec.resources)) &&
    typeof spec.hasLifecycle === "boolean";
  if (!isWhole) throw new Error("It is no spec that this version understands.");
  return spec as ToolSpec;
}

function isLimit(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value > 0);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
