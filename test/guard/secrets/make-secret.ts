/** No whole secret stands in a test file: they are made here, the same ones every time. */
export interface SecretMaker {
  readonly letters: (count: number) => string;
  readonly hex: (count: number) => string;
  readonly digits: (count: number) => string;
  readonly capitals: (count: number) => string;
  readonly base64: (count: number) => string;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export function createSecretMaker(seed: number): SecretMaker {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const draw = (from: string, count: number): string =>
    Array.from({ length: count }, () => from[Math.floor(next() * from.length)]).join("");
  return {
    letters: (count) => draw(alphabet, count),
    hex: (count) => draw("0123456789abcdef", count),
    digits: (count) => draw("0123456789", count),
    capitals: (count) => draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count),
    base64: (count) => draw(`${alphabet}+/`, count),
  };
}

export function makeWebToken({ letters }: SecretMaker): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, { sub: letters(8) }];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.${letters(43)}`;
}

/** A PEM block whose lines are random. */
export function makePrivateKey({ base64 }: SecretMaker, kind: string): string {
  const armour = (word: string): string => `-----${word} ${kind}PRIVATE ${"KEY"}-----`;
  return [armour("BEGIN"), base64(64), base64(64), `${base64(22)}==`, armour("END")].join("\n");
}
