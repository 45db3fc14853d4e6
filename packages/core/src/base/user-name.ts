/** The name of the person's account on this machine; empty where it has none. */
import { userInfo } from 'node:os';

export function findUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return '';
  }
}
