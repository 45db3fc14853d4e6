import { describe, expect, it, onTestFinished } from 'vitest';
import { watchTurns } from './signals.ts';

/** A watch, and what a signal does to it. */
function startWatch() {
  let stops = 0;
  const watch = watchTurns(() => {
    stops++;
  });
  onTestFinished(() => watch.end());
  const send = (name: NodeJS.Signals): void => {
    process.listeners(name).at(-1)?.(name);
  };
  return { watch, send, stops: () => stops };
}

/** A turn that goes on while something is done to it. */
const during = (watch: ReturnType<typeof watchTurns>, act: () => void): Promise<void> =>
  watch.during(() => {
    act();
    return Promise.resolve();
  });

describe('signals in a conversation', () => {
  it('[C32] Ctrl-C in a turn stops the turn; twice within a second it ends everything', async () => {
    const { watch, send, stops } = startWatch();
    await during(watch, () => send('SIGINT'));
    expect(stops()).toBe(1);
    expect(watch.signal.aborted).toBe(false);
    expect(watch.isJustInterrupted()).toBe(true);
    await during(watch, () => send('SIGINT'));
    expect(watch.signal.aborted).toBe(true);
  });

  it('[C32] outside of a turn, and by another signal, it ends everything at once', async () => {
    const resting = startWatch();
    resting.send('SIGINT');
    expect(resting.watch.signal.aborted).toBe(true);
    const working = startWatch();
    await during(working.watch, () => working.send('SIGTERM'));
    expect(working.watch.signal.aborted).toBe(true);
    expect(working.stops()).toBe(1);
    expect(working.watch.isJustInterrupted()).toBe(false);
  });
});
