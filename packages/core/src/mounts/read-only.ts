/**
 * Whether a file is protected against changes. Replacing a file asks the system about its folder only, and root about
 * nothing, so the permissions of the file itself have to be looked at. Pure.
 */

/** Nobody may write it: neither owner, group nor others. Windows shows its read-only attribute in the same way. */
export function isReadOnly(mode: number): boolean {
  return (mode & 0o222) === 0;
}
