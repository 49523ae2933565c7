import type { RolloutExplanation } from "../../../tool-files/rollout/service/rollouts.ts";
import { shortHash } from "./view-rollout.ts";

/** What a person can do about it now, each with its command. */
export function describeChoices(explanation: RolloutExplanation): string[] {
  const { tool } = explanation.view;
  const choices = choicesOf(explanation);
  if (choices.length === 0) return [];
  const commands = choices.map(([words]) => {
    const [name, ...options] = words.split(" ");
    return ["deckhand rollout", name, tool, ...options].join(" ");
  });
  const width = Math.max(...commands.map(({ length }) => length));
  return ["What you can do:", ...choices.map(([, what], index) => `  ${commands[index]!.padEnd(width)}  ${what}`)];
}

type Choice = readonly [words: string, what: string];

function choicesOf({ view, release }: RolloutExplanation): Choice[] {
  const { percent } = view;
  const unpin: Choice[] = view.isPinned ? [["resume", "let other contents out again"]] : [];
  const back: Choice[] = [
    ["rollback", "stable for everybody again"],
    ["rollback --hard", "the same, and pin stable"],
  ];
  const everybody: Choice = ["promote --all", "give it to everybody now"];
  switch (view.status) {
    case "running":
      return [
        ["promote", view.awaitsApproval ? "agree to the next stage" : "take the next stage now"],
        everybody,
        view.isHeld ? ["resume", "let it go on by itself"] : ["hold", `stay at ${percent} %`],
        ...back,
      ];
    case "blocked":
      return [everybody, ...back];
    case "replaying":
      return [everybody, ["hold", "keep it from going on afterwards"], ...back];
    case "rolled_back":
      return [
        ["resume", "try it again from the first stage"],
        everybody,
        ...(view.isPinned ? [] : [["rollback --hard", "pin stable: nothing else gets out"] as const]),
      ];
    case "none": {
      const { earlier, out, stable, fileHash } = release;
      const before = earlier.find(({ hash }) => out[hash] === undefined && hash !== stable.hash);
      const isOut = out[fileHash] !== undefined && fileHash !== stable.hash;
      return [
        ...(isOut && unpin.length === 0 ? [["resume", "look at what the file has as if it were new"] as const] : unpin),
        ...(before ? [["rollback", `go back to ${shortHash(before.hash)}, which was stable before`] as const] : []),
      ];
    }
  }
}
