import { testAgent } from "./agent-suite.ts";

testAgent("claude", {
  shell: { tool: "Bash", input: (command) => ({ command, description: "makes a file" }), asks: true },
});
