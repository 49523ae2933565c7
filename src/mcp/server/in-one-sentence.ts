import type { JSONRPCMessage } from "@modelcontextprotocol/server";

const invalidParams = -32_602;

/** What the protocol's package finds wrong with a request it tells as a list of issues in JSON; here it is one sentence. */
export function inOneSentence(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const issues = readIssues(message.error.message);
  if (!issues) return message;
  const wrong = issues.map(({ path, message: what }) => `${path.join(".") || "the request"}: ${what}`).join("; ");
  return { ...message, error: { code: invalidParams, message: `This request can't be understood: ${wrong}.` } };
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function readIssues(text: string): readonly Issue[] | undefined {
  const [list] = /\[\s*\{[^]*\}\s*\]$/.exec(text) ?? [];
  if (list === undefined) return undefined;
  try {
    const issues = JSON.parse(list) as readonly Partial<Issue>[];
    return issues.every(isIssue) ? issues : undefined;
  } catch {
    return undefined;
  }
}

function isIssue(issue: Partial<Issue>): issue is Issue {
  return Array.isArray(issue.path) && typeof issue.message === "string";
}
