/**
 * A person's own change of the state document: held against the same gate as every change of the model's.
 */
import { CrewError } from '../base/crew-error.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { type LiveRun, readState } from './live-run.ts';

export interface EditedState {
  /** As it stands now: what was asked for, completed by the runtime. */
  readonly text: string;
  readonly sha256: string;
  /** What the runtime added. */
  readonly notes: readonly string[];
}

/** Throws the gate's own code when it refuses; the document then is byte for byte as it was. */
export async function editState(run: LiveRun, text: string, ifMatchSha256: string): Promise<EditedState> {
  const { gate } = run;
  if (!gate) throw new CrewError('RUN_NOT_READY', 'A talk has no state document.');
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
