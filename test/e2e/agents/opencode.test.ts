import { testAgent } from "./agent-suite.ts";

testAgent("opencode", {
  shell: { tool: "bash", input: (command) => ({ command, description: "makes a file" }), asks: false },
});
