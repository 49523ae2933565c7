import { cutMiddle, cutText } from "../../core/cut-text.ts";
import type { KeepText, ToolResult } from "../../core/tool.ts";

/** A person reads no more of it either; models are shown less still. */
const largest = 256 * 1024;
const shown = 32 * 1024;

/** What is too large to be read goes into a file, as the output of a command does, and the result says which. */
export async function spillResult(result: ToolResult, executionId: string, keep: KeepText): Promise<ToolResult> {
  const { data, ...rest } = result;
  const dataText = data === undefined ? "" : JSON.stringify(data);
  const whole = result.ok ? result.output : result.error;
  const files: string[] = [];

  async function spill(text: string, name: string): Promise<string> {
    const size = `${Math.round(Buffer.byteLength(text) / 1024)} kB`;
    try {
      const file = await keep(text, `${executionId}.${name}`);
      files.push(file);
      return `[The whole ${name === "data.json" ? "data" : "result"}, ${size}: ${file}]`;
    } catch {
      // A full disk must not turn a call that worked into one that failed.
      return `[The whole of it, ${size}, could not be kept]`;
    }
  }

  const notes = [
    ...(whole.length > largest ? [await spill(whole, "result.txt")] : []),
    ...(dataText.length > largest ? [await spill(dataText, "data.json")] : []),
  ];
  if (notes.length === 0) return result;
  const output = [cutMiddle(whole, shown), ...notes].join("\n");
  const more = {
    outputBytes: Buffer.byteLength(whole),
    ...(files.length > 0 ? { files } : {}),
    ...(dataText.length > largest ? {} : { data }),
  };
  return rest.ok ? { ...rest, output, ...more } : { ...rest, error: cutText(rest.error, 2000), output, ...more };
}
