import type { Execution, Route } from "./call.ts";
import type { Tool } from "./tool.ts";

/** Step 5 of a call: which version of the tool runs it? */
export type RouteCall = (tool: Tool, execution: Execution) => RoutedCall;

export interface RoutedCall {
  readonly tool: Tool;
  readonly route: Route;
  /** Where the call's conversation falls among 10,000; left out where nothing is tried. */
  readonly bucket?: number | null;
}

export const routeStable: RouteCall = (tool) => ({ tool, route: "stable" });
