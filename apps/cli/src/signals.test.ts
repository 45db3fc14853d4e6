import { describe, expect, it, onTestFinished } from 'vitest';
import { watchSignals } from './signals.ts';

/** A watch, and a function that sends it a signal. */
function startWatch() {
  let stops = 0;
  const watch = watchSignals(() => {
    stops++;
  });
  onTestFinished(() => watch.end());
  const send = (name: NodeJS.Signals): void => {
    process.listeners(name).at(-1)?.(name);
  };
  return { watch, send, stops: () => stops };
}

/** A turn that runs while `act` is called. */
const during = (watch: ReturnType<typeof watchSignals>, act: () => void): Promise<void> =>
  watch.during(() => {
    act();
    return Promise.resolve();
  });

describe('signals in a conversation', () => {
  it('[C15] Ctrl-C stops the turn; twice within a second it ends the command', async () => {
    const { watch, send, stops } = startWatch();
    await during(watch, () => send('SIGINT'));
    expect(stops()).toBe(1);
    expect(watch.signal.aborted).toBe(false);
    expect(watch.isJustInterrupted()).toBe(true);
    await during(watch, () => send('SIGINT'));
    expect(watch.signal.aborted).toBe(true);
  });

  it('[C15] ends the command outside a turn, or on another signal', async () => {
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
