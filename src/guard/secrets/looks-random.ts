/** Whether a value looks made by a machine, or at least by somebody who hid something; words joined by signs do not. */
export function looksRandom(value: string): boolean {
  if (value.length < 8 || isWordy(value.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9=]+$/g, ""))) return false;
  if (!/[A-Za-z]/.test(value)) return false;
  return /\d/.test(value) || /[+/!@#$%^&*=?~]/.test(value) || hasScatteredLetters(value);
}

/** A stricter form for places that are hardly ever about a secret, such as a column or a sentence. */
export function looksVeryRandom(value: string): boolean {
  if (!looksRandom(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (/[!@#$%^&*+=]/.test(value) && digits > 0) return true;
  if (digits < 2) return false;
  if (value.length < 12) return /[a-z]/.test(value) && /[A-Z]/.test(value) && /[A-Za-z]\d+[A-Za-z]+\d/.test(value);
  return /[a-z]\d+[a-z]/i.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value));
}

const word = /^(?:[A-Za-z]+\d{0,3}|\d{1,4}|v?\d+[a-z]?)?$/;

/** `my-app-secret`, `gpt-4-turbo`, `oauth2.token`, `v1.2.3`: letters, perhaps with a number at the end, joined by signs. */
export function isWordy(value: string): boolean {
  return value.split(/[-_.:/\s]+/).every((part) => word.test(part) && !hasScatteredLetters(part));
}

/** Words change case only where one begins, and have vowels. */
function hasScatteredLetters(value: string): boolean {
  if (value.length < 16) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  if (changes / value.length > 0.35) return true;
  const vowels = value.match(/[aeiou]/gi)?.length ?? 0;
  return value.length >= 20 && vowels / value.length < 0.2;
}

/** Letters as in a name of a program: `otherName`, `SecretString2`, `HTTPClient`. What has digits or signs inside is not judged. */
export function isNameLike(value: string): boolean {
  const letters = value.replace(/\d{1,3}$/, "");
  if (!/^[A-Za-z]+$/.test(letters) || letters === letters.toLowerCase() || letters === letters.toUpperCase())
    return true;
  const words = letters.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return words.filter((each) => !isWord(each)).length * 2 <= words.length && words.every((each) => each.length < 16);
}

function isWord(part: string): boolean {
  return part.length >= 2 && part !== part.toUpperCase() && /[aeiouy]/i.test(part);
}
