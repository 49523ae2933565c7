import type { ToolResult } from "../../core/tool.ts";
import { asFields, asText, type Fields } from "./mcp-json-rpc.ts";

/** What a tool of a server returned, as any tool returns it. Pictures and sounds are described, not shown. */
export function toToolResult(result: Fields): ToolResult {
  const content: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const data = result["structuredContent"];
  const parts = content.map((part) => describePart(asFields(part) ?? {}));
  // Servers repeat structured content as text for older clients; where one does not, the model has to see it all the same.
  if (parts.length === 0 && data !== undefined) parts.push(JSON.stringify(data));
  const output = parts.join("\n");
  const withData = data === undefined ? {} : { data };
  if (result["isError"] !== true) return { ok: true, output, ...withData };
  return {
    ok: false,
    error: output.trim() || "The tool reported an error without a text.",
    errorType: "tool_error",
    ...withData,
  };
}

function describePart(part: Fields): string {
  switch (part["type"]) {
    case "text":
      return asText(part["text"]) ?? "";
    case "image":
    case "audio":
      return `[${part["type"]}: ${asText(part["mimeType"]) ?? "unknown type"}, ${sizeOf(part["data"])}]`;
    case "resource_link":
      return `[resource: ${[part["uri"], part["title"] ?? part["name"], part["description"]].filter(isSaid).join(", ")}]`;
    case "resource":
      return describeResource(asFields(part["resource"]) ?? {});
    default:
      return `[content of a kind that is not known here: ${asText(part["type"]) ?? "without a name"}]`;
  }
}

function describeResource(resource: Fields): string {
  const uri = asText(resource["uri"]) ?? "without an address";
  const text = asText(resource["text"]);
  if (text !== undefined) return `[resource: ${uri}]\n${text}`;
  return `[resource: ${uri}, ${asText(resource["mimeType"]) ?? "unknown type"}, ${sizeOf(resource["blob"])}]`;
}

/** Of what base64 stands for. */
function sizeOf(base64: unknown): string {
  const bytes = Math.floor((asText(base64)?.length ?? 0) * 0.75);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} kB`;
}

function isSaid(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
