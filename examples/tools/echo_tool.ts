/** The smallest useful tool file: copy it into the `tools` folder of a workdir. `docs/tools.md` says what else there is. */
export const TOOL_SPEC = {
  name: "echo_tool",
  description: "Return a text as it is, in capitals, or backwards.",
  input_schema: {
    type: "object",
    properties: {
      text: { type: "string", description: "What to return" },
      mode: { enum: ["plain", "upper", "reverse"], default: "plain" },
    },
    required: ["text"],
    additionalProperties: false,
  },
  traits: { read_only: true },
  cases: [
    { name: "plain", input: { text: "hi" }, expect: "hi" },
    { name: "upper", input: { text: "hi", mode: "upper" }, expect: "HI" },
    { name: "reverse", input: { text: "abc", mode: "reverse" }, expect: "cba" },
  ],
};

export function run({ text, mode = "plain" }: { text: string; mode?: string }) {
  const modes: Record<string, (given: string) => string> = {
    plain: (given) => given,
    upper: (given) => given.toUpperCase(),
    reverse: (given) => Array.from(given).reverse().join(""),
  };
  return { ok: true, output: modes[mode]!(text) };
}
