/**
 * Interrupts the command, as a signal does, when its output can no longer be written: the reader is gone, or the disk is
 * full.
 */
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { printError } from '../terminal.ts';

export interface OutputWatch {
  /** The exit code if the output is broken. */
  readonly code: ExitCode | undefined;
}

export function watchOutput(interrupt: () => void): OutputWatch {
  const broken: { code: ExitCode | undefined } = { code: undefined };
  const { stdout, stderr } = hostProcess();
  // If the terminal is gone, there is nowhere to report an error.
  stderr.on('error', () => interrupt());
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (broken.code === undefined && error.code !== 'EPIPE')
      printError(`Error: the output could not be written (${error.code ?? error.message}).`);
    broken.code ??= error.code === 'EPIPE' ? EXIT.interrupted : EXIT.failed;
    interrupt();
  });
  return broken;
}
