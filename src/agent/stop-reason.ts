/** Why a run was stopped, as a sentence: what its signal says, else that the person did it. */
export function tellStopped({ reason }: AbortSignal): string {
  const said = reason instanceof Error && reason.name !== "AbortError" ? reason.message : "";
  return `${said.replace(/\.$/, "") || "Stopped by the person"}.`;
}
