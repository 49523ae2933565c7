/** Where in a text a secret is. Only this part is replaced; the user, key or header around it stays. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What kind of secret, as people read it in the mark: `github`, `password`. */
  readonly family: string;
  /** What the mark is made from when the text holds it in another form, such as base64. */
  readonly value?: string;
}

/** What one pass over one text remembers, so that no part of it is read again for every word in it. */
export interface Scan {
  /** The text is a command for the shell. */
  readonly isCommand: boolean;
  /** By rule: up to where it has looked. */
  readonly readTo: Map<string, number>;
  /** Where secrets end that were found: what stands directly behind one does not go on with it. */
  readonly ends: Set<number>;
  /** The last value without quotes that was read: where it began and how far it goes. */
  plain: { readonly start: number; readonly end: number; readonly isOver: boolean };
  /** Keys one in the value of the other, none of them of a secret: how many, and up to where. */
  tried: { readonly count: number; readonly end: number };
}

/** Looks at one place of a text where a trigger word begins. Its work is bounded, wherever the place is. */
export type FindAt = (text: string, at: number, scan: Scan) => SecretSpan | readonly SecretSpan[] | undefined;

/** A word that must be there before anybody looks closer. At least three characters. */
export interface Trigger {
  readonly word: string;
  /** Letters count in any case. */
  readonly anyCase: boolean;
  readonly find: FindAt;
}
