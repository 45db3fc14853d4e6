/** Name of the user's account; empty if there is none, or if it names a role instead of a person. */
import { userInfo } from 'node:os';

/** Of this process; the system reads a file for it. */
let found: string | undefined;

export function findUserName(): string {
  found ??= readUserName();
  return found;
}

function readUserName(): string {
  try {
    return toPersonName(userInfo().username);
  } catch {
    // A container may run under a uid without an account.
    return '';
  }
}

const ROLES: ReadonlySet<string> = new Set(['root', 'user', 'admin', 'administrator']);

export function toPersonName(account: string): string {
  return ROLES.has(account.trim().toLowerCase()) ? '' : account;
}
