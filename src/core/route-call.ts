import type { Execution, Route } from "./execution.ts";
import type { Tool } from "./tool.ts";

/** Step 5 of a call: which version of the tool runs it? */
export type RouteCall = (tool: Tool, execution: Execution) => { readonly tool: Tool; readonly route: Route };

export const routeStable: RouteCall = (tool) => ({ tool, route: "stable" });
