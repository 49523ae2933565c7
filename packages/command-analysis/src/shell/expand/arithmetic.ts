import type { ArithmeticExpression } from "unbash";

/** The value of an expression of constants and known variables. Null: not known. */
export function evaluateArithmetic(
  expression: ArithmeticExpression | undefined,
  lookUp: (name: string) => string | null,
): number | null {
  return evaluate(expression, lookUp, 0);
}

const maxDepth = 100;

function evaluate(
  expression: ArithmeticExpression | undefined,
  lookUp: (name: string) => string | null,
  depth: number,
): number | null {
  if (expression === undefined) return 0;
  if (depth > maxDepth) return null;
  switch (expression.type) {
    case "ArithmeticGroup":
      return evaluate(expression.expression, lookUp, depth + 1);
    case "ArithmeticWord":
      return readNumber(expression.value, lookUp);
    case "ArithmeticUnary": {
      const operand = evaluate(expression.operand, lookUp, depth + 1);
      return operand === null ? null : (unary[expression.operator]?.(operand) ?? null);
    }
    case "ArithmeticBinary": {
      const left = evaluate(expression.left, lookUp, depth + 1);
      const right = evaluate(expression.right, lookUp, depth + 1);
      const result = left === null || right === null ? undefined : binary[expression.operator]?.(left, right);
      return result !== undefined && Number.isSafeInteger(result) ? result : null;
    }
    default:
      return null;
  }
}

const unary: Readonly<Record<string, (value: number) => number>> = {
  "-": (value) => -value,
  "+": (value) => value,
  "!": (value) => (value === 0 ? 1 : 0),
};

const binary: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => Math.trunc(left / right),
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "^": (left, right) => left ^ right,
};

function readNumber(text: string, lookUp: (name: string) => string | null): number | null {
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1];
  const value = (name === undefined ? text : (lookUp(name) ?? "?")).trim();
  const based = /^(\d\d?)#([0-9a-zA-Z]+)$/.exec(value);
  if (based) return finite(Number.parseInt(based[2] ?? "", Number(based[1])));
  if (/^0[xX][0-9a-fA-F]+$/.test(value)) return finite(Number.parseInt(value, 16));
  if (/^0[0-7]+$/.test(value)) return finite(Number.parseInt(value, 8));
  return /^-?\d+$/.test(value) ? finite(Number(value)) : null;
}

function finite(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null;
}
