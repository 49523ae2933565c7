import { testAgent } from "./agent-suite.ts";

testAgent("gemini", {
  shell: { tool: "run_shell_command", input: (command) => ({ command, description: "makes a file" }), asks: true },
});
