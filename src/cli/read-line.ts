import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

/** One line from the person; null when they left (Ctrl-D), or nobody needs it any more. */
export async function readLine(terminal: Terminal, prompt: string, signal: AbortSignal): Promise<string | null> {
  terminal.status(null);
  const line = createInterface({ input: terminal.stdin, output: process.stderr, terminal: true });
  // In this mode the terminal hands Ctrl-C to us as a character; the program's own handlers are to decide.
  line.on("SIGINT", () => void process.emit("SIGINT"));
  const left = new Promise<null>((resolve) => void line.once("close", () => resolve(null)));
  try {
    return await Promise.race([line.question(prompt, { signal }), left]);
  } catch {
    return null;
  } finally {
    line.close();
  }
}
