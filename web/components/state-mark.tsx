import { Icon, type IconName } from "./icon.tsx";

type Tone = "good" | "bad" | "warn" | "run" | "plain";

/** A state as sign, colour and word: nobody needs the colour to know it. */
export function StateMark({
  state,
  tone,
  word,
}: {
  readonly state: string;
  readonly tone?: Tone;
  readonly word?: string;
}) {
  const known = looks[state];
  return (
    <span class={`state ${tone ?? known?.tone ?? "plain"}`}>
      <Icon name={known?.icon ?? "dot"} />
      {word ?? known?.word ?? state.replaceAll("_", " ")}
    </span>
  );
}

const looks: Readonly<Record<string, { readonly tone: Tone; readonly icon: IconName; readonly word?: string }>> = {
  pending: { tone: "plain", icon: "clock" },
  queued: { tone: "plain", icon: "clock" },
  due: { tone: "plain", icon: "clock" },
  claimed: { tone: "run", icon: "spin" },
  running: { tone: "run", icon: "spin" },
  stopping: { tone: "warn", icon: "spin", word: "stopping…" },
  waiting: { tone: "warn", icon: "clock", word: "waiting for you" },
  completed: { tone: "good", icon: "check" },
  succeeded: { tone: "good", icon: "check" },
  approved: { tone: "good", icon: "check" },
  answered: { tone: "good", icon: "check" },
  failed: { tone: "bad", icon: "cross" },
  denied: { tone: "bad", icon: "cross" },
  timeout: { tone: "bad", icon: "timer" },
  timed_out: { tone: "bad", icon: "timer", word: "timeout" },
  lost: { tone: "bad", icon: "question" },
  cancelled: { tone: "warn", icon: "stop" },
  skipped: { tone: "warn", icon: "minus" },
  missed: { tone: "warn", icon: "warning" },
  withdrawn: { tone: "plain", icon: "minus" },
  abandoned: { tone: "plain", icon: "minus" },
};
