import { testAgent } from "./agent-suite.ts";

testAgent("codex", { shell: { tool: "exec_command", input: (command) => ({ cmd: command }), asks: true } });
