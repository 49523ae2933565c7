/**
 * What names have in common that some file system or reader takes for one: case, ways to compose a letter, characters that
 * show nothing. For comparing with names of ours, never for opening.
 */
export function foldName(name: string): string {
  if (plain.test(name)) return name;
  // Up and down again: the long s and the Kelvin sign only meet s and k that way.
  return name.normalize("NFKC").replaceAll(invisible, "").toUpperCase().toLowerCase();
}

const plain = /^[a-z0-9._-]*$/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Control}]/gu;
