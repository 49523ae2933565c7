import { recordsOf, stringOf, type JsonRecord } from "./served-protocol.ts";

/** A tool of a namespace, as scripts name it: `namespace.tool`. An empty namespace is none. */
export function joinName(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}.${name}`;
}

/** The same in the fields of a call, where the request offered that namespace. */
export function splitName(tool: string, body: JsonRecord): { readonly name: string; readonly namespace?: string } {
  for (const { type, name } of recordsOf(body["tools"])) {
    const namespace = stringOf(name);
    if (type !== "namespace" || !tool.startsWith(`${namespace}.`)) continue;
    return { name: tool.slice(namespace.length + 1), namespace };
  }
  return { name: tool };
}
