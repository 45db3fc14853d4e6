/** Exit codes, stable for scripts. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** A run waits for a person. */
  waiting: 3,
  /** A limit paused a run. */
  limit: 4,
  /** A run completed without full proof, with `--require-proof`. */
  unproved: 5,
  /** By a signal, or by `crewagent stop`. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
