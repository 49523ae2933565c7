import type { Resource } from "../core/resource.ts";

/** What a call with this input touches, where the file said so: `{file_path}` stands for a field of the input. */
export function fillResources(declared: readonly Resource[], input: unknown): readonly Resource[] {
  return declared.map((resource) => {
    if (resource.kind === "everything") return resource;
    const text = fill(resource.kind === "path" ? resource.path : resource.name, input);
    // A field that is missing or no text may lead anywhere.
    if (text === null) return { kind: "everything", access: resource.access };
    return resource.kind === "path" ? { ...resource, path: text } : { ...resource, name: text };
  });
}

const field = /\{(\w+)\}/g;

function fill(template: string, input: unknown): string | null {
  const values = input as Readonly<Record<string, unknown>>;
  let isWhole = true;
  const filled = template.replaceAll(field, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === "string" || typeof value === "number") return String(value);
    isWhole = false;
    return "";
  });
  return isWhole ? filled : null;
}
