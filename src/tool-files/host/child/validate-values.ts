type Keywords = { readonly [keyword: string]: unknown };

/** What was expected of a text and is not so. */
export function checkText(schema: Keywords, value: string): string[] {
  const { minLength, maxLength, pattern } = schema;
  const problems: string[] = [];
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(value).length;
  if (typeof minLength === "number" && length < minLength) problems.push(`expected at least ${minLength} characters`);
  if (typeof maxLength === "number" && length > maxLength) problems.push(`expected at most ${maxLength} characters`);
  // May take for ever: that is why this runs in the tool's own process.
  if (typeof pattern === "string" && !compile(pattern).test(value))
    problems.push(`expected a text that fits ${pattern}`);
  return problems;
}

/** What was expected of a number and is not so. */
export function checkNumber(schema: Keywords, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: string[] = [];
  if (typeof minimum === "number" && value < minimum) problems.push(`expected ${minimum} or more`);
  if (typeof maximum === "number" && value > maximum) problems.push(`expected ${maximum} or less`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    problems.push(`expected more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    problems.push(`expected less than ${exclusiveMaximum}`);
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    problems.push(`expected a multiple of ${multipleOf}`);
  }
  return problems;
}

/** 0.3 is a multiple of 0.1, whatever floating point says. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
