import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

/** One line from the person, typed after they were asked; null when they left (Ctrl-D), or nobody needs it any more. */
export async function readLine(terminal: Terminal, prompt: string, signal: AbortSignal): Promise<string | null> {
  terminal.status(null);
  await dropTyped(terminal.stdin, signal);
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

/** Nobody reads a question, decides and presses a key in less. */
const quietMs = 400;

/** What was typed or pasted before the question is no answer to it: the prompt comes once no key came for a while. */
async function dropTyped(stdin: Terminal["stdin"], signal: AbortSignal): Promise<void> {
  if (stdin.isTTY !== true || signal.aborted) return;
  stdin.setRawMode(true);
  await new Promise<void>((resolve) => {
    let timer = setTimeout(stop, quietMs);
    function drop(keys: Buffer | string): void {
      if (String(keys).includes("\u0003")) process.emit("SIGINT");
      clearTimeout(timer);
      timer = setTimeout(stop, quietMs);
    }
    function stop(): void {
      clearTimeout(timer);
      stdin.off("data", drop);
      signal.removeEventListener("abort", stop);
      stdin.pause();
      stdin.setRawMode(false);
      resolve();
    }
    stdin.on("data", drop);
    stdin.resume();
    signal.addEventListener("abort", stop, { once: true });
  });
}
