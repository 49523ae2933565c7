import type { Language, ToolFile } from "../src/tool-files/host/tool-host.ts";
import type { Bench } from "./bench.ts";
import { microsecondsEach } from "./support.ts";
import { echoTool, openHosts } from "./tool-hosts.ts";

let opened: ReturnType<typeof openHosts> | undefined;

async function callOnce(file: ToolFile): Promise<void> {
  const { hosts, call } = (opened ??= openHosts());
  const { result } = await hosts.call(file, { text: "hi" }, call);
  if (!result.ok || result.output !== "hi") throw new Error(`The call ended as ${JSON.stringify(result)}.`);
}

function warm(language: Language, budget?: number): Bench {
  const file = echoTool(language);
  return {
    name: `custom tool, warm call, ${language}`,
    unit: "µs",
    ...(budget === undefined ? {} : { budget }),
    rounds: 9,
    async measure() {
      await callOnce(file);
      return microsecondsEach(1000, () => callOnce(file));
    },
  };
}

function first(language: Language, budget?: number): Bench {
  const file = echoTool(language);
  return {
    name: `custom tool, first call, ${language}`,
    unit: "ms",
    ...(budget === undefined ? {} : { budget }),
    rounds: 10,
    async measure() {
      await opened?.hosts.retire(file);
      const begin = performance.now();
      await callOnce(file);
      return performance.now() - begin;
    },
  };
}

export const benches: readonly Bench[] = [
  warm("typescript", 200),
  warm("python"),
  first("typescript", 150),
  first("python"),
];
