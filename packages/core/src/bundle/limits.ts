/** Limits of a run in one file. Whoever sends it chose what is in it: nothing is read or unpacked beyond them. */
const MIB = 1024 * 1024;

export const LIMITS = {
  /** A zip without extensions has no more. */
  entries: 65_000,
  fileBytes: 2_000 * MIB,
  entryBytes: 256 * MIB,
  /** Unpacked, all together. */
  totalBytes: 4_000 * MIB,
  /** Of all logs and descriptions, which are read as a whole. */
  textBytes: 256 * MIB,
  ratio: 200,
} as const;
