import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";

/** Finds every script that runs inside these nodes, however deep: subscripts, defaults, arithmetic, patterns. */
export function visitEmbedded(nodes: readonly SyntaxNode[], visit: (script: ParsedScript) => void): void {
  const waiting = [...nodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Script") visit(node);
    else {
      const children: SyntaxNode[] = [];
      forEachChild(node, (child) => children.push(child));
      waiting.push(...children.reverse());
    }
  }
}
