import { describeCause, type Quarantine, type QuarantineCause } from "./quarantine.ts";
import type { Trust } from "./trust.ts";
import type { FileProblem } from "../../tool-files/host/tool-host.ts";
import type { Admission, Verdict } from "../../tool-files/versions/load-versions.ts";

/**
 * Which contents of tool files may be loaded: those that a person trusts, and whatever the person made of them since. What
 * changed while something of ours could write it is held until a person approves it, and so is a change of traits.
 */
export function createAdmission(options: {
  /** Relative to the workdir. */
  readonly toolFolder: string;
  /** Null for a folder that did not come with the workdir. */
  readonly trust: Trust | null;
  readonly quarantine: Quarantine;
  readonly who: string;
}): () => Admission {
  const { quarantine } = options;
  return () => {
    const approved = quarantine.approved();
    const isAgents = (textHash: string): boolean =>
      approved.some(({ hash, author }) => hash === textHash && author === "agent");
    return {
      admit(parts) {
        for (const { path: file, ...part } of parts) {
          const held = quarantine.judge({ file, ...part });
          // The content was shown when its traits were asked about; only the tool itself decides about those.
          if (held?.cause.kind === "writer") return { state: "quarantined", problem: problemOf(held.cause) };
        }
        const trust = options.trust?.readTools();
        const contents = parts.map(({ path, hash }) => ({ file: `${options.toolFolder}/${path}`, hash }));
        const strange = trust ? contents.filter(({ file }) => !trust.covers(file)) : [];
        if (strange.length > 0) return untrusted(strange.map(({ file }) => file));
        trust?.note(options.who, contents);
        return parts.some(({ textHash }) => isAgents(textHash)) ? "agent" : "person";
      },
      admitTraits(parts, change) {
        const [own] = parts;
        if (!own) return null;
        const known = quarantine.approved().find(({ file }) => file === own.path);
        // Whoever approved a content saw what it says of itself.
        const isShown = known?.hash === own.textHash && known.promises === null && parts.length === 1;
        if (isShown || known?.promises === change.promises) return null;
        const held = quarantine.holdTraits(own.path, change);
        return held ? problemOf(held.cause) : null;
      },
    };
  };
}

/** `files`: it and what it imports, as far as they are not trusted. */
function untrusted(files: readonly string[]): Verdict {
  const command = ["deckhand trust", ...(files.length > 3 ? [] : files.map(shellWord))].join(" ");
  return {
    state: "untrusted",
    problem: {
      message: "It came with the folder, and you have not trusted it yet.",
      line: null,
      hint: `Look at it, then run \`${command}\`.`,
    },
  };
}

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function problemOf(cause: QuarantineCause): FileProblem {
  return {
    message: `${describeCause(cause)}.`,
    line: null,
    hint: "Look at the change and approve it: `deckhand trust`.",
  };
}
