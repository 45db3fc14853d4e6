/**
 * A run that a scripted reader or the rehearsal plays, and what its log proves. Nobody speaks to the lazy reader: it asks nothing.
 */

import { createReader, type ReaderKind } from '../../rehearse/models/reader.ts';
import { createRehearsal } from '../../rehearse/models/rehearsal.ts';
import { readEvidence } from '../../reports/read-evidence.ts';
import { toAddress } from '../../store/work-address.ts';
import { playToEnd } from './play-to-end.ts';
import { createRunRig, type RunRigOptions } from './run-rig.ts';

export async function playAs(
  kind: ReaderKind | 'rehearsal',
  options: Pick<RunRigOptions, 'package' | 'workflow'>,
) {
  const model = kind === 'rehearsal' ? createRehearsal() : createReader(kind);
  const rig = await createRunRig({ ...options, model });
  const stop = await (kind === 'lazy' ? rig.engine.start() : playToEnd(rig.engine));
  const { isProved, visits, called } = await readEvidence(rig.store, toAddress(rig.record));
  const files = [...visits, ...called.flatMap((run) => run.visits)].flatMap((visit) => visit.files);
  const stubs = files.filter(({ bytes }) => bytes < MIN_BYTES).map(({ path }) => path);
  return {
    phase: stop.phase,
    code: stop.reason?.code,
    nodeId: rig.engine.memory.state.currentNodeId,
    isProved,
    /** How often a checked file was there when its node was left. */
    files: files.length,
    /** Checked files without content. */
    stubs,
  };
}

const MIN_BYTES = 20;
