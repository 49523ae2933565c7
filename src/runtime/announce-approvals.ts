import type { Approve } from "../core/approval.ts";
import type { Emit } from "../core/events.ts";

/** Others may want to ring a bell, or to show what waits. */
export function announceApprovals(
  approve: Approve,
  { emit, maskText }: { readonly emit: Emit; readonly maskText: (text: string) => string },
): Approve {
  return async (request, signal) => {
    const { executionId: id, toolId, isDanger } = request;
    emit("approval:asked", { id, toolId, title: maskText(request.title), isDanger });
    const answer = await approve(request, signal);
    emit("approval:settled", { id, decision: answer.decision });
    return answer;
  };
}
