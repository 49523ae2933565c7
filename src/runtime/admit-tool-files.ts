import type { Quarantine } from "../gate/quarantine.ts";
import type { Trust } from "../gate/trust.ts";
import type { Admit } from "../workshop/load-versions.ts";

/**
 * Which contents of tool files may be loaded: those that a person trusts, and whatever the person made of them since. What
 * changed while an agent's call ran waits for a person.
 */
export function createAdmission(options: {
  /** Relative to the workdir. */
  readonly toolFolder: string;
  /** Null for a folder that did not come with the workdir. */
  readonly trust: Trust | null;
  readonly quarantine: Quarantine;
  readonly who: string;
}): () => Admit {
  const { quarantine } = options;
  return () => {
    const trust = options.trust?.readTools();
    const waiting = quarantine.list();
    const agents = quarantine.approved();
    return (parts) => {
      const contents = parts.map(({ path, hash }) => ({ file: `${options.toolFolder}/${path}`, hash }));
      const isWaiting = parts.some(({ path, textHash }) =>
        waiting.some((entry) => entry.file === path && entry.hash === textHash),
      );
      if (isWaiting) return "quarantined";
      if (trust && !contents.every(({ file }) => trust.covers(file))) return "untrusted";
      // Who wrote it is decided when the call that runs has ended.
      if (quarantine.isWatching && !contents.every(({ file, hash }) => trust?.knows(file, hash))) return "quarantined";
      trust?.note(options.who, contents);
      return parts.some(({ textHash }) => agents.has(textHash)) ? "agent" : "person";
    };
  };
}
