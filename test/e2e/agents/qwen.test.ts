import { testAgent } from "./agent-suite.ts";

testAgent("qwen", {
  shell: {
    tool: "run_shell_command",
    input: (command) => ({ command, description: "makes a file", is_background: false }),
    asks: true,
  },
});
