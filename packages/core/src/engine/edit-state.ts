/** A person's change of the state document, validated by the same gate as changes of the model. */
import { CrewError } from '../base/crew-error.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import type { LiveRun } from './live-run.ts';
import { readState } from './run-position.ts';

export interface EditedState {
  /** The written text, including additions of the runtime. */
  readonly text: string;
  readonly sha256: string;
  /** Additions of the runtime. */
  readonly notes: readonly string[];
}

/** Throws the error code of the gate if it rejects the change; the document is then unchanged. */
export async function editState(run: LiveRun, text: string, ifMatchSha256: string): Promise<EditedState> {
  const { gate } = run;
  if (!gate) throw new CrewError('RUN_NOT_READY', 'A conversation has no state document.');
  run.resetForRun();
  const base = await readState(gate);
  if (base.sha256 !== ifMatchSha256) throw changed(base.sha256);
  const validated = await gate.validate(base, text, { isPerson: true });
  if (!validated.ok) {
    const { code, message, details } = validated.error;
    throw new CrewError(code, message, details ? { details: { ...details } } : {});
  }
  try {
    const written = await gate.commit(validated.change);
    return { text: written.text, sha256: written.sha256, notes: validated.change.notes };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw changed((await readState(gate)).sha256);
    throw error;
  }
}

function changed(sha256: string): CrewError {
  return new CrewError(
    'E_PRECONDITION_FAILED',
    'The state document is not what you last read; read it again, then repeat your change.',
    { details: { sha256 } },
  );
}
