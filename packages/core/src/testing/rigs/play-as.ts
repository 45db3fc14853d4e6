/**
 * A run that a scripted reader or the rehearsal plays, and what its log proves. Nobody speaks to the lazy reader: it asks nothing.
 */

import type { ExecutionEngine } from '../../engine/execution-engine.ts';
import type { StopPoint } from '../../engine/stop-point.ts';
import { createReader, type ReaderKind } from '../../rehearse/models/reader.ts';
import { createRehearsal } from '../../rehearse/models/rehearsal.ts';
import { readEvidence } from '../../reports/read-evidence.ts';
import { toAddress } from '../../store/work-address.ts';
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
const MAX_ROUNDS = 200;
/** As people type it: a letter, in any case, or what comes to mind. */
const FIRST_MENU = ['a', 'Could it be a little shorter?', 'C'];

/**
 * A person who takes a run to its end: at the first letter menu they try an option that comes back, say something in their own
 * words, and continue; elsewhere they continue or give an answer. `wish`: the option or answer for a node, if it is not to continue.
 */
export async function playToEnd(
  engine: ExecutionEngine,
  wish: (nodeId: string) => string | undefined = () => undefined,
): Promise<StopPoint> {
  const tries = [...FIRST_MENU];
  const decide = (shown: string): string => {
    const wanted = wish(engine.memory.history.nodeId ?? '');
    if (wanted !== undefined) return wanted;
    if (!/\[[A-Z]{1,2}\] /.test(shown)) return 'Whatever you suggest.';
    return /\[A\] /.test(shown) ? (tries.shift() ?? 'C') : 'C';
  };
  let stop = await engine.start();
  for (let round = 0; round < MAX_ROUNDS && stop.phase === 'WaitingUser'; round++) {
    if (stop.reason?.code === 'question') {
      const { pending } = engine;
      const questions = pending?.kind === 'question' ? pending.questions : [];
      const answers = questions.map(({ id, options }): [string, string] => [
        id,
        decide((options ?? []).join('\n')),
      ]);
      stop = await engine.answer(Object.fromEntries(answers));
    } else if (stop.reason?.code === 'reply') {
      const last = engine.memory.history.messages.findLast(({ role }) => role === 'assistant');
      stop = await engine.say(decide(String(last?.content)));
    } else return stop;
  }
  return stop;
}
