import { StateMark } from "../../components/state-mark.tsx";
import type { RolloutView } from "./types.ts";

/** How it stands, in a word or two. */
export function RolloutState({ view }: { readonly view: RolloutView }) {
  const [state, word, tone] = stateOf(view);
  return <StateMark state={state} word={word} tone={tone} />;
}

type Look = readonly [state: string, word: string, tone: "good" | "bad" | "warn" | "run" | "plain"];

function stateOf(view: RolloutView): Look {
  switch (view.status) {
    case "running":
      if (view.awaits_approval) return ["waiting", "waits for you", "warn"];
      return view.is_held ? ["cancelled", "held", "warn"] : ["running", `tried by ${view.percent} %`, "run"];
    case "replaying":
      return ["running", "replaying", "run"];
    case "blocked":
      return ["missed", "blocked", "bad"];
    case "rolled_back":
      return ["failed", view.is_pinned ? "rolled back, pinned" : "rolled back", "bad"];
    case "none":
      return view.is_pinned ? ["cancelled", "pinned", "warn"] : ["succeeded", "stable", "good"];
  }
}

/** As much of `name@hash` as tells versions apart. */
export function shortHash(version: string): string {
  return version.slice(version.lastIndexOf("@") + 1).slice(0, 12);
}
