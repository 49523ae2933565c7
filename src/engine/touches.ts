import type { Resource } from "../core/resource.ts";
import type { Touch } from "./conflicts.ts";
import type { Located } from "./locate-path.ts";

/** The places in the tree of all there is that these resources stand for; `anything`: whatever the call likes. */
export function touchesOf(
  resources: readonly Resource[],
  locate: (path: string) => Located,
): readonly Touch[] | "anything" {
  const touches: Touch[] = [];
  for (const resource of resources) {
    const { access } = resource;
    if (resource.kind === "everything") {
      if (access === "write") return "anything";
      touches.push({ segments: [], access });
    } else if (resource.kind === "name") {
      touches.push({ segments: ["name", resource.name], access });
    } else {
      const { names, isShared } = locate(resource.path);
      // It may move or replace a link, and then other paths lead elsewhere.
      if (isShared && access === "write") return "anything";
      for (const name of names) touches.push({ segments: ["path", ...name.split("/").filter(Boolean)], access });
    }
  }
  return touches;
}
