import { testAgent } from "./agent-suite.ts";

testAgent("pi", { shell: { tool: "bash", input: (command) => ({ command }), asks: false } });
