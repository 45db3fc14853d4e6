/** Name of the user's account; empty if there is none. */
import { userInfo } from 'node:os';

export function findUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a uid without an account.
    return '';
  }
}
