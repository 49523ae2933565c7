import type { RolloutView } from "./types.ts";

interface Step {
  readonly percent: number;
  readonly state: "done" | "here" | "ahead";
}

/** The way of a version to everybody: what is behind it, where it is, what is ahead. */
export function Stages({ view }: { readonly view: RolloutView }) {
  const steps = stepsOf(view);
  if (steps.length === 0) return null;
  return (
    <ol class="stages" aria-label="Stages, as percent of the conversations">
      {steps.map(({ percent, state }) => (
        <li key={percent} class={`stage ${state}`} aria-current={state === "here" ? "step" : undefined}>
          <span class="stage-percent">{percent} %</span>
          <span class="visually-hidden">{words[state]}</span>
        </li>
      ))}
    </ol>
  );
}

const words = { done: " done", here: " now", ahead: " to come" } as const;

function stepsOf({ status, percent, stages }: RolloutView): Step[] {
  if (status === "none" || status === "rolled_back") return [];
  // A person may have chosen a share that is no stage.
  const all = percent === 0 || stages.includes(percent) ? stages : [...stages, percent].toSorted((a, b) => a - b);
  return all.map((stage) => ({
    percent: stage,
    state: stage < percent ? "done" : stage === percent ? "here" : "ahead",
  }));
}
