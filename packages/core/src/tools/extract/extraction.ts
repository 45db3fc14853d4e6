/** What crosses to the thread that extracts text, and what is known of a file without a parser. */

/** Each takes the bytes of a file. */
export interface ExtractJobs {
  pdf: Uint8Array;
  word: Uint8Array;
  sheets: Uint8Array;
}

export type ExtractIssue = 'damaged' | 'encrypted';

export type Extraction =
  /** `isCut`: the text has reached its limit. */
  { readonly text: string; readonly isCut: boolean } | { readonly issue: ExtractIssue };

/** A file with a password is not a zip but a container of the formats before 2007. */
export function isProtected(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, at) => bytes[at] === byte);
}
