/**
 * Who answers questions during a command: a person on the terminal, or the `--input` texts that are left.
 */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { isInteractive } from './terminal.ts';

export interface Attendance {
  readonly inputs: readonly string[];
  /** The `--input` texts that are left; those that are used are removed. */
  readonly remaining: string[];
  readonly isJson: boolean;
  /** Text as it is for a pipe: no colours, no formatting, no status line. */
  readonly isPlain: boolean;
  /** Whether a person can be asked. */
  readonly isAsking: boolean;
  /** The approval preset of a new Work if neither an option nor the settings choose one: somebody who is there is asked. */
  readonly usualApproval: ApprovalPreset;
  isAttended(): boolean;
}

export interface AttendanceOptions {
  readonly input: readonly string[];
  readonly json?: true;
  readonly plain?: true;
}

export function createAttendance({ input, json, plain }: AttendanceOptions): Attendance {
  const remaining = [...input];
  const isAsking = !json && isInteractive();
  return {
    inputs: input,
    remaining,
    isJson: json === true,
    isPlain: plain === true,
    isAsking,
    usualApproval: isAsking ? 'ask' : 'autopilot',
    isAttended: () => isAsking || remaining.length > 0,
  };
}
