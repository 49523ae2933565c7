/** One message of an event stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** Where to go on after it; empty when it has no place. */
  readonly id: string;
}

/** Takes the text of an event stream as it comes, in pieces, and gives the messages that are whole. */
export function createEventParser(): (text: string) => StreamEvent[] {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap(readBlock);
  };
}

/** Comments and a block without data say nothing. */
function readBlock(block: string): StreamEvent[] {
  let name = "message";
  let id = "";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? [] : [{ name, data: data.join("\n"), id }];
}
