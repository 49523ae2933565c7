import { useContext } from "preact/hooks";
import { createContext } from "preact";
import type { Right, Status } from "../api/types.ts";

/** What the daemon says of itself; undefined until it has. */
export const StatusContext = createContext<Status | undefined>(undefined);

export function useStatus(): Status | undefined {
  return useContext(StatusContext);
}

/** Whether this browser may do that; buttons for what it may not are not offered. */
export function useRight(right: Right): boolean {
  return useStatus()?.rights.includes(right) ?? false;
}
