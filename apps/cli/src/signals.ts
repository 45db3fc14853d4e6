/**
 * Signals that end a command: the first one asks it to come to an orderly end, the second one ends it.
 */
import { EXIT } from './exit-codes.ts';

export interface SignalWatch {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** As if a signal had come. */
  interrupt(): void;
  end(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function watchSignals(onFirst: () => void = () => undefined): SignalWatch {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    onFirst();
  };
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    interrupt();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    interrupt,
    end() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
