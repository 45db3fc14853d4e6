/**
 * Output that can no longer be written ends what is being driven as if by a signal: nobody reads any more, or the disk is
 * full.
 */
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hostProcess } from './host-process.ts';
import { printError } from './terminal.ts';

export interface OutputWatch {
  /** Where the output broke, what the command ends with. */
  readonly code: ExitCode | undefined;
}

export function watchOutput(interrupt: () => void): OutputWatch {
  const broken: { code: ExitCode | undefined } = { code: undefined };
  const { stdout, stderr } = hostProcess();
  // With a terminal that is gone there is nobody left to be told.
  stderr.on('error', () => interrupt());
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (broken.code === undefined && error.code !== 'EPIPE')
      printError(`Error: the output could not be written (${error.code ?? error.message}).`);
    broken.code ??= error.code === 'EPIPE' ? EXIT.interrupted : EXIT.failed;
    interrupt();
  });
  return broken;
}
