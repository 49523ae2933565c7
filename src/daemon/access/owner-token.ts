import { join } from "node:path";

/** Where the token of the person whose daemon this is lies: their own state, which no tool sees. It has every right. */
export function ownerTokenIn(stateFolder: string): string {
  return join(stateFolder, "daemon-token");
}
