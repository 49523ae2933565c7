import { analyseCommand } from "../../../packages/command-analysis/src/analyse-command.ts";
import { judgePath } from "../../../src/guard/path/judge-path.ts";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { judgeAddresses, judgeUrl } from "../../../src/guard/url/judge-url.ts";
import { defaultUrlPolicy } from "../../../src/guard/url/url-policy.ts";
import type { Judges } from "./exam.ts";

/** The judgements of `src/safety`, as a runtime with default settings uses them. */
export function createJudges(): Judges {
  const masker = createMasker({ values: [], key: "exam" });
  return {
    command: (command) => analyseCommand(command, { cwd: "/home/dev/project", home: "/home/dev" }).verdict,
    path: ({ path, op, workdir }) => judgePath(path, op, { workdir }).allowed,
    text: (text) => masker.text(text),
    url({ url, addresses }) {
      const verdict = judgeUrl(url, defaultUrlPolicy);
      if (!verdict.allowed || !addresses || verdict.isAddress) return verdict.allowed;
      return judgeAddresses(verdict, addresses, defaultUrlPolicy) === undefined;
    },
  };
}
