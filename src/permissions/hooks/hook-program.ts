import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import type { Hook } from "./hooks.ts";
import type { CanonicalName } from "../rules/permission-rule.ts";

/** A hook as the configuration has it. */
export interface HookSetting {
  readonly tools?: readonly string[] | undefined;
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly module?: string | undefined;
  readonly timeout_ms?: number | undefined;
}

const defaultTimeoutMs = 10_000;

/** A module is run by a process of its own as well: one that loops for ever can be stopped then. */
export function toHook(
  setting: HookSetting,
  event: "before" | "after",
  place: { readonly workdir: string; readonly canonicalName: CanonicalName },
): Hook {
  const { tools = ["*"], command, module = "", timeout_ms: timeoutMs = defaultTimeoutMs } = setting;
  return {
    name: command ? command.join(" ") : module,
    argv: command ?? [process.execPath, "--input-type=module", "-e", host, moduleUrl(module, place.workdir), event],
    timeoutMs,
    tools: tools.map((name) => (name.endsWith("*") ? name : (place.canonicalName(name) ?? name))),
  };
}

function moduleUrl(module: string, workdir: string): string {
  return pathToFileURL(resolve(workdir, module)).href;
}

// What the module itself prints must not pass for its answer.
const host = `
const [url, event] = process.argv.slice(1);
const write = process.stdout.write.bind(process.stdout);
console.log = console.info = console.debug = console.error;
let text = "";
for await (const piece of process.stdin.setEncoding("utf8")) text += piece;
const module = await import(url);
if (typeof module[event] !== "function") {
  console.error("expected the module to export a function named " + event);
  process.exit(1);
}
const answer = await module[event](JSON.parse(text));
write(answer === undefined || answer === null ? "" : JSON.stringify(answer), () => process.exit(0));
`;
