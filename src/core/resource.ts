export type Access = "read" | "write";

/**
 * What a call touches. Two calls may overlap unless one of them writes what the other touches.
 * - `path`: that file or folder and all below it, relative to the workdir or absolute
 * - `name`: anything else that callers agree to call by one name (`port:3000`)
 * - `everything`: all of it, as an unknown shell command does
 *
 * A write may make the folders above its path. A call that fails where a folder is missing therefore reads that folder,
 * and one that makes or moves links, or folders with links in them, writes everything: nobody can say which paths it
 * changes.
 */
export type Resource =
  | { readonly kind: "path"; readonly path: string; readonly access: Access }
  | { readonly kind: "name"; readonly name: string; readonly access: Access }
  | { readonly kind: "everything"; readonly access: Access };
