/** The path of the page on which a package folder is edited. */

/** A server refuses paths with an encoded slash, so that `~` takes the place of `%`. */
export function toFolderPart(folder: string): string {
  return encodeURIComponent(folder).replaceAll('~', '%7E').replaceAll('%', '~');
}

export function toEditorPath(folder: string): string {
  return `/packages/edit/${encodeURIComponent(toFolderPart(folder))}`;
}
