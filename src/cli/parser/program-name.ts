import type { Terminal } from "../terminal/terminal.ts";

/** What to type: whoever typed `npm start` may have no command named deckhand. */
export function programName(env: Terminal["env"]): string {
  return env["npm_lifecycle_event"] === "start" ? "npm start --" : "deckhand";
}
