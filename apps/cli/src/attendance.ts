/**
 * Who answers questions during a command: a person on the terminal, or the `--input` texts that are left.
 */
import { isInteractive } from './terminal.ts';

export interface Attendance {
  /** The `--input` texts that were not used yet. */
  readonly remaining: string[];
  isAttended(): boolean;
}

export function createAttendance(inputs: readonly string[], isJson: boolean): Attendance {
  const remaining = [...inputs];
  return { remaining, isAttended: () => (!isJson && isInteractive()) || remaining.length > 0 };
}
