/**
 * Detects write-protected files. Replacing a file only requires write permission for its folder, and root needs none,
 * so the permissions of the file must be checked explicitly. Pure.
 */

/** True if neither owner, group nor others may write. Windows reports its read-only attribute in the same way. */
export function isReadOnly(mode: number): boolean {
  return (mode & 0o222) === 0;
}
