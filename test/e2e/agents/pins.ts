import { existsSync } from "node:fs";
import { join } from "node:path";

/** The CLIs that are tried for real, each at the version whose behaviour was looked at. */
export const pins = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { package: "@openai/codex", version: "0.166.0" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0" },
  opencode: { package: "opencode-ai", version: "1.18.33" },
  pi: { package: "@earendil-works/pi-coding-agent", version: "0.87.1" },
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4" },
} as const;
export type PinnedAgent = keyof typeof pins;

/** Each CLI has a folder of its own in the cache: their dependencies do not agree. */
export function programOf(cache: string, agent: PinnedAgent): string {
  return join(cache, agent, "node_modules", ".bin", agent);
}

/** True, or why the real CLIs can't be tried here. */
export function whyNoAgent(cache: string | undefined, agent: PinnedAgent): true | string {
  if (cache === undefined || cache === "") return "the real agents are tried by `npm run test:agents`";
  return existsSync(programOf(cache, agent)) || `${agent} is not in ${cache}; \`npm run test:agents\` installs it`;
}
