import type { ApprovalAnswer, ApprovalRequest, Approve, GrantScope } from "../../core/approval.ts";
import type { Clock } from "../../core/clock.ts";
import type { Mask } from "../../core/mask.ts";
import type { PermitDecision, PermitRequest } from "../../core/permit.ts";
import type { Assessment } from "../assess-call.ts";
import { buildApproval, samePreview } from "./build-approval.ts";
import { allow, refuse, toPermission } from "../decisions.ts";
import type { Grants } from "../grants.ts";

export interface Asking {
  readonly approve: Approve;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly mask: Required<Pick<Mask, "text" | "value">>;
}

/** How often a person is asked again because what was shown is no longer what would happen. */
const mostRounds = 3;

/** Only a yes to exactly what would happen is a yes. */
export async function askPerson(
  asking: Asking,
  request: PermitRequest,
  { found, reasons }: { readonly found: Assessment; readonly reasons: readonly string[] },
): Promise<PermitDecision> {
  const { dangers } = found;
  const build = async (): Promise<ApprovalRequest> =>
    withoutSecretRules(asking.mask, request, await buildApproval(request, found, reasons));
  let asked = await build();
  for (let round = 0; round < mostRounds; round += 1) {
    const answer = await asking.approve(asked, request.signal);
    if (answer.decision === "deny") {
      const permission = toPermission("deny", "person", { reasons, dangers, who: answer.who });
      return { decision: "deny", by: "person", reason: answer.reason ?? "", permission };
    }
    if (answer.decision === "unanswered")
      return refuse("rule", unanswered(answer, found, reasons), { reasons, dangers });
    // Whoever answers may be a program: whatever is not a yes is a no.
    if ((answer.decision as unknown) !== "allow")
      return refuse("rule", "the answer was neither yes nor no", { dangers });
    const now = await build();
    if (samePreview(asked, now)) {
      keepGrant(asking, asked, answer);
      return allow("person", { reasons, dangers, who: answer.who });
    }
    asked = { ...now, reasons: ["it changed while you were looking at it", ...now.reasons] };
  }
  return refuse("rule", "what it would change kept changing while it was shown", { dangers });
}

/** A yes for longer is written down as it was given: whatever holds a secret is allowed once. */
function withoutSecretRules(
  mask: Asking["mask"],
  { input, execution: { conversationId } }: PermitRequest,
  approval: ApprovalRequest,
): ApprovalRequest {
  const { rules, scopes } = approval;
  // With the input: what one place of it gives away as a secret is one in a rule as well.
  const shown = mask.value({ input, rules }).rules;
  if (rules.some((rule, index) => rule !== shown[index])) return { ...approval, scopes: ["once"], rules: [] };
  if (conversationId === null || mask.text(conversationId) === conversationId) return approval;
  return { ...approval, scopes: scopes.filter((scope) => scope !== "conversation") };
}

function keepGrant(
  { grants, clock, mask }: Asking,
  { scopes, rules, conversationId }: ApprovalRequest,
  { scope, who }: { readonly scope: GrantScope; readonly who: string },
): void {
  // Whoever answers may be a program: what was not offered is not granted.
  if (scope === "once" || !scopes.includes(scope)) return;
  const at = clock.now();
  const conversation = scope === "always" ? null : conversationId;
  grants.add(rules.map((rule) => ({ rule, scope, conversationId: conversation, who: mask.text(who), at })));
}

function unanswered(
  { reason }: Extract<ApprovalAnswer, { decision: "unanswered" }>,
  { dangers }: Assessment,
  reasons: readonly string[],
): string {
  const what = dangers.length > 0 ? "it is dangerous" : "it needs a person's yes";
  const who = reason === "nobody" ? "nobody is there to ask" : "nobody answered";
  return `${what}, and ${who}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`;
}
