import { forEachChild, type SyntaxNode } from "unbash";

const assigners = new Set(
  "read mapfile readarray getopts printf declare typeset local export readonly unset let eval".split(" "),
);

/** The variables that a part of a script may change, however often it runs. */
export function assignedNames(nodes: readonly SyntaxNode[]): Set<string> {
  const names = new Set<string>();
  const waiting: SyntaxNode[] = [...nodes];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Assignment") names.add(node.name);
    else if (node.type === "For" || node.type === "Select") names.add(node.name.value);
    else if (node.type === "Command" && assigners.has(node.name?.value ?? "")) {
      for (const word of node.suffix)
        if (word.type === "Word") for (const [name] of word.value.matchAll(/[A-Za-z_]\w*/g)) names.add(name);
    } else if (node.type === "ArithmeticWord") names.add(node.value);
    // A command in a substitution changes only the variables of its own process.
    if (node.type !== "CommandExpansion") forEachChild(node, (child) => void waiting.push(child));
  }
  return names;
}

/** The variables that arithmetic in these nodes sets: `i++`, `PATH = 3`. */
export function numbersAssigned(nodes: readonly SyntaxNode[]): string[] {
  const names: string[] = [];
  const waiting: SyntaxNode[] = [...nodes];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const target = assignedBy(node);
    if (target?.type === "ArithmeticWord") names.push(target.value.replace(/\[.*$/s, ""));
    // What runs inside is gathered by itself.
    if (node.type !== "Script") forEachChild(node, (child) => void waiting.push(child));
  }
  return names;
}

function assignedBy(node: SyntaxNode): SyntaxNode | null {
  if (node.type === "ArithmeticUnary") return /^(?:\+\+|--)$/.test(node.operator) ? node.operand : null;
  if (node.type !== "ArithmeticBinary") return null;
  return /^(?:[-+*/%&|^]|<<|>>)?=$/.test(node.operator) ? node.left : null;
}
