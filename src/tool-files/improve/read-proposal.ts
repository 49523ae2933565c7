/** What a model proposed; or in one sentence, for the model too, why it can't be used. */
export type Proposal =
  | { readonly ok: true; /** The whole new file. */ readonly content: string; readonly summary: string }
  | { readonly ok: false; readonly reason: string };

/** A tool file may not be larger. */
export const mostProposalBytes = 1024 * 1024;

/** The one fenced block of a reply, and the line that says what was changed. */
export function readProposal(reply: string): Proposal {
  const lines = reply.replaceAll("\r\n", "\n").split("\n");
  const blocks: string[] = [];
  const prose: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/.exec(lines[at]!)?.[1];
    if (fence === undefined) {
      prose.push(lines[at]!);
      continue;
    }
    const isEnd = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
    const end = lines.findIndex((line, index) => index > at && isEnd.test(line));
    if (end === -1) return refuse("The fenced block has no end: the reply was cut, or the closing line is missing.");
    blocks.push(`${lines.slice(at + 1, end).join("\n")}\n`);
    at = end;
  }
  const [content, ...more] = blocks;
  if (content === undefined) return refuse("There is no fenced block with the new file in the reply.");
  if (more.length > 0)
    return refuse(`There are ${blocks.length} fenced blocks in the reply; exactly one was asked for.`);
  if (content.trim() === "") return refuse("The fenced block is empty.");
  if (Buffer.byteLength(content) > mostProposalBytes) return refuse("The new file is larger than 1 MB.");
  const summary = prose.map((line) => line.trim()).find((line) => line !== "") ?? "";
  return { ok: true, content, summary: summary.slice(0, 300) };
}

function refuse(reason: string): Proposal {
  return { ok: false, reason };
}
