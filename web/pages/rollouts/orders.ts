import type { Release, RolloutView } from "./types.ts";

/** Something a person can say about a version, and what comes of it. */
export interface Order {
  readonly path: "promote" | "hold" | "resume" | "rollback";
  readonly body: Readonly<Record<string, string>>;
  readonly label: string;
  /** What will be so afterwards, before anybody presses anything. */
  readonly consequence: string;
  readonly tone: "plain" | "primary" | "danger";
  /** A hold without a reason says nothing to whoever comes next. */
  readonly needsReason: boolean;
}

/** What can be done about it now; nothing is offered that would be refused. */
export function ordersOf(
  view: RolloutView,
  release: Pick<Release, "earlier" | "out" | "stable" | "file_hash">,
): Order[] {
  const canary = view.canary ?? "";
  const everybody = promote(
    "all",
    "Promote to everybody",
    `Every conversation gets ${canary} at once, whatever is proven by now.`,
  );
  switch (view.status) {
    case "running":
      return [
        ...stepOf(view),
        everybody,
        view.is_held ? goOn : hold(`The share stays at ${view.percent} %; what turns out bad is still rolled back.`),
        ...backOf(view),
      ];
    case "blocked":
      return [everybody, ...backOf(view)];
    case "replaying":
      return [everybody, hold("It does not go on when the replay has ended."), ...backOf(view)];
    case "rolled_back":
      return [
        resume("Try it again", `${canary} begins again from the first stage.`),
        everybody,
        ...(view.is_pinned
          ? []
          : [hardRollback("Stable stays for everybody, and no other content gets out before somebody resumes.")]),
      ];
    case "none":
      return ordersAtRest(view, release);
  }
}

/** Any version that was stable can be gone back to, also one that was rolled back: whoever presses it has named it. */
export function earlierOf({ earlier, stable, out }: Pick<Release, "earlier" | "stable" | "out">): EarlierVersion[] {
  return earlier
    .filter(({ hash }) => hash !== stable.hash)
    .map(({ hash, until }) => ({ hash, until, isOut: out[hash] !== undefined }));
}

export interface EarlierVersion {
  readonly hash: string;
  readonly until: string;
  /** It was rolled back. */
  readonly isOut: boolean;
}

export function goBackTo(view: RolloutView, hash: string): Order {
  const isTried = view.status === "running" || view.status === "replaying" || view.status === "blocked";
  const tried = isTried ? ` ${view.canary ?? "What is tried"} is rolled back, too.` : "";
  return {
    path: "rollback",
    body: { kind: "soft", to: hash },
    label: "Go back to this version",
    consequence: `Everybody gets ${view.tool}@${hash.slice(0, 12)} at once. What was stable after it stays out.${tried}`,
    tone: "danger",
    needsReason: false,
  };
}

function stepOf(view: RolloutView): Order[] {
  const next = view.stages.find((stage) => stage > view.percent);
  const where = next === undefined ? "the next stage" : `${next} %`;
  const label = view.awaits_approval ? `Agree to ${where}` : `Promote to ${where}`;
  return [
    promote(
      "next",
      label,
      `${next === undefined ? "More" : `${next} %`} of the conversations get ${view.canary ?? "it"} from now on.`,
    ),
  ];
}

function backOf(view: RolloutView): Order[] {
  return [
    {
      path: "rollback",
      body: { kind: "soft" },
      label: "Roll back",
      consequence: `Everybody gets ${view.stable} again. The file stays as it is; another edit of it is tried as usual.`,
      tone: "danger",
      needsReason: false,
    },
    hardRollback(`Everybody gets ${view.stable} again, and no other content gets out before somebody resumes.`),
  ];
}

function ordersAtRest(view: RolloutView, { earlier, out, stable, file_hash }: Parameters<typeof ordersOf>[1]): Order[] {
  const before = earlier.find(({ hash }) => out[hash] === undefined && hash !== stable.hash);
  const isOut = out[file_hash] !== undefined && file_hash !== stable.hash;
  const orders: Order[] = [];
  if (view.is_pinned) orders.push(resume("Let new versions out", "Other contents of the file are tried again."));
  else if (isOut) orders.push(resume("Try it again", "What the file has now is looked at as if it were new."));
  if (before) {
    const consequence = `Everybody gets ${before.hash.slice(0, 12)}, which was stable before.`;
    orders.push({
      path: "rollback",
      body: { kind: "soft" },
      label: "Back to the version before",
      consequence,
      tone: "danger",
      needsReason: false,
    });
  }
  return orders;
}

function promote(to: "next" | "all", label: string, consequence: string): Order {
  return {
    path: "promote",
    body: { to },
    label,
    consequence,
    tone: to === "next" ? "primary" : "plain",
    needsReason: false,
  };
}

function hold(consequence: string): Order {
  return { path: "hold", body: {}, label: "Hold", consequence, tone: "plain", needsReason: true };
}

function resume(label: string, consequence: string): Order {
  return { path: "resume", body: {}, label, consequence, tone: "primary", needsReason: false };
}

function hardRollback(consequence: string): Order {
  return {
    path: "rollback",
    body: { kind: "hard" },
    label: "Roll back and pin",
    consequence,
    tone: "danger",
    needsReason: false,
  };
}

const goOn = resume("Let it go on", "It goes on by itself when enough speaks for it.");
