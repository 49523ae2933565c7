/** Why what a server answered is no reply, whatever the provider's package would make of it. */
export type AnswerFault =
  | { readonly kind: "redirect"; readonly status: number; readonly target: string | null }
  /** A web page or a single document where a stream of events was asked for. */
  | { readonly kind: "document"; readonly body: string }
  | { readonly kind: "empty"; readonly status: number }
  | { readonly kind: "too_long"; readonly limit: string };

export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly fault: AnswerFault;
  constructor(fault: AnswerFault) {
    super(`The answer is no reply: ${fault.kind}.`);
    this.fault = fault;
  }
}

/** One sentence about it. `said`: the provider's own words in a document, without their full stop; empty when it has none. */
export function tellFault(
  fault: AnswerFault,
  { host, said }: { readonly host: string; readonly said: string },
): string {
  switch (fault.kind) {
    case "redirect":
      return `${host} answered with a redirect (status ${fault.status}) to ${
        fault.target ?? "no address that could be read"
      }, which is not followed: the key and the conversation would go there. If that is the right address, name it as the base URL.`;
    case "document":
      return `${host} answered with a document instead of a reply${said === "" ? "" : `: ${said}`}; ${
        isJson(fault.body) ? "check the base URL, and that it can stream" : "check the base URL"
      }.`;
    case "empty":
      return `${host} answered with nothing (status ${fault.status}) instead of a reply; check the base URL.`;
    case "too_long":
      return `${host} sent ${fault.limit}, so the reply was given up; check the model and the base URL.`;
  }
}

function isJson(body: string): boolean {
  return body.trimStart().startsWith("{");
}
