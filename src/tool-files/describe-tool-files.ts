import { describeProblem, type WorkshopStatus } from "./tool-file-status.ts";

/** What a person should know of the tool files, in few sentences. */
export function tellToolFiles({ folder, files, total }: WorkshopStatus): string[] {
  const untrusted = files.filter(({ state }) => state === "untrusted");
  const [refused] = files.filter(({ state }) => state === "refused");
  const others = files.filter(({ state }) => state === "broken" || state === "quarantined");
  return [
    ...(untrusted.length === 0 ? [] : [tellUntrusted(folder, untrusted.length)]),
    ...(refused ? [`No tool file of ${folder} is used: ${refused.problem?.message ?? ""}`] : []),
    ...others.slice(0, mostTold).flatMap((status) => describeProblem(status) ?? []),
    ...(others.length > mostTold
      ? [`${others.length - mostTold} more tool files can't be used; see deckhand tools.`]
      : []),
    ...(total > files.length
      ? [`${folder} has ${total} files that could be tools; only the first ${files.length} are looked at.`]
      : []),
  ];
}

const mostTold = 3;

function tellUntrusted(folder: string, count: number): string {
  const what = count === 1 ? "1 tool file" : `${count} tool files`;
  return `${folder} has ${what} that you have not trusted: look at ${count === 1 ? "it" : "them"}, then run \`deckhand trust\`.`;
}
