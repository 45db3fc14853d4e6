/**
 * Who answers questions during a command: a person on the terminal, or the `--input` texts that are left.
 */
import { isInteractive } from './terminal.ts';

export interface Attendance {
  readonly inputs: readonly string[];
  /** The `--input` texts that are left; those that are used are removed. */
  readonly remaining: string[];
  readonly isJson: boolean;
  /** Whether a person can be asked. */
  readonly isAsking: boolean;
  isAttended(): boolean;
}

export function createAttendance({ input, json }: { input: readonly string[]; json?: true }): Attendance {
  const remaining = [...input];
  const isAsking = !json && isInteractive();
  return {
    inputs: input,
    remaining,
    isJson: json === true,
    isAsking,
    isAttended: () => isAsking || remaining.length > 0,
  };
}
