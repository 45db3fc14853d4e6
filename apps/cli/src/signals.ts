/**
 * Signals that end a command: the first one shuts it down gracefully, the second one exits at once. In a conversation,
 * Ctrl-C first stops the current turn.
 */
import { isatty } from 'node:tty';
import { EXIT } from './exit-codes.ts';
import { hostProcess } from './host-process.ts';

export interface SignalWatch {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Has the same effect as a first signal. */
  interrupt(): void;
  /** Runs a turn. Ctrl-C meanwhile stops the turn and not the command, unless pressed twice within a second. */
  during<Result>(turn: () => Promise<Result>): Promise<Result>;
  /** Whether Ctrl-C stopped a turn within the last second. */
  isJustInterrupted(): boolean;
  end(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const TWICE_WITHIN_MS = 1_000;

/** `stop` is called with the first signal, and to stop a turn. */
export function watchSignals(stop: () => void = () => undefined): SignalWatch {
  const host = hostProcess();
  const controller = new AbortController();
  let turns = 0;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  const isJustInterrupted = (): boolean => performance.now() - interruptedAt < TWICE_WITHIN_MS;
  const interrupt = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    stop();
  };
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && host === process) process.once('exit', endWithoutTerminal);
    if (controller.signal.aborted) host.exit(EXIT.interrupted);
    if (name !== 'SIGINT' || turns === 0 || isJustInterrupted()) {
      interrupt();
      return;
    }
    interruptedAt = performance.now();
    stop();
  };
  for (const name of SIGNALS) host.on(name, onSignal);
  return {
    signal: controller.signal,
    interrupt,
    isJustInterrupted,
    async during(turn) {
      turns++;
      try {
        return await turn();
      } finally {
        turns--;
      }
    },
    end() {
      for (const name of SIGNALS) host.off(name, onSignal);
    },
  };
}

/**
 * Node restores the settings of the terminal at exit and crashes if the terminal is gone, with a core dump: the process ends by the
 * signal instead, as it would without a listener.
 */
function endWithoutTerminal(): void {
  const isGone = [process.stdin, process.stdout, process.stderr].some(
    ({ isTTY, fd }) => isTTY && !isatty(fd),
  );
  if (!isGone) return;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** The longest interval of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Watches signals while `use` runs. The process stays alive meanwhile, also if `use` only waits for changes of files. */
export async function withSignals<Result>(
  use: (watch: SignalWatch) => Promise<Result>,
  stop?: () => void,
): Promise<Result> {
  const watch = watchSignals(stop);
  const keepAlive = setInterval(() => undefined, LONGEST_MS);
  try {
    return await use(watch);
  } finally {
    clearInterval(keepAlive);
    watch.end();
  }
}
