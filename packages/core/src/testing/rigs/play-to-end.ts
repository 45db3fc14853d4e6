/**
 * A person who takes a run to its end: at the first letter menu they try an option that comes back, say something in their own
 * words, and continue; elsewhere they continue or give an answer.
 */
import type { ExecutionEngine } from '../../engine/execution-engine.ts';
import type { StopPoint } from '../../engine/stop-point.ts';

const MAX_ROUNDS = 200;
/** As people type it: a letter, in any case, or what comes to mind. */
const FIRST_MENU = ['a', 'Could it be a little shorter?', 'C'];

/** `wish`: the option or answer for a node, if it is not to continue. */
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
