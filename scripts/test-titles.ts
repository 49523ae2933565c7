import { readFileSync } from "node:fs";
import ts from "typescript";

export interface TestTitle {
  readonly title: string;
  readonly ids: readonly string[];
  readonly line: number;
}

/**
 * The titles in a test file that end in requirement ids. Any call counts whose first argument is such a text (`test`, `it`,
 * `describe`, a property, a contract's own wrapper), except one that is skipped or still to do: it proves nothing.
 */
export function titlesOf(file: string): TestTitle[] {
  const text = readFileSync(file, "utf8");
  if (!/\s\[[A-Z]\d/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: TestTitle[] = [];
  visit(source);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && !/\.(skip|todo)$/.test(node.expression.getText(source))) {
      const [first] = node.arguments;
      const title = first && textOf(first);
      const ids = title && idsAtTheEnd.exec(title)?.[1];
      if (title && ids) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.push({ title: title.slice(0, title.lastIndexOf(" [")), ids: ids.split(/[ ,]+/), line: line + 1 });
      }
    }
    ts.forEachChild(node, visit);
  }
}

const idsAtTheEnd = /\s\[([A-Z]\d+(?:[ ,]+[A-Z]\d+)*)\]$/;

/** Literals and templates (with "…" for what is put in), also when joined with `+`. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return (textOf(node.left) ?? "…") + (textOf(node.right) ?? "…");
  }
  return ts.isParenthesizedExpression(node) ? textOf(node.expression) : undefined;
}
