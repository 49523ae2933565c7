/** A tool file whose calls may be tried again on another version. */
export const echoTool = `
export const TOOL_SPEC = {
  name: "echo_tool",
  description: "Return a text.",
  traits: { read_only: true },
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
export const run = async (input) => ({ ok: true, output: input.text });
`;
