/**
 * The command of a person that the current call executes. Its first event is stored together with the fact that it has begun, so that
 * whoever continues after a crash neither repeats nor forgets it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentCommand {
  readonly commandId: string;
  hasBegun: boolean;
}

export const currentCommand = new AsyncLocalStorage<CurrentCommand>();

/** The id of the current command, with its first event only. */
export function takeBegun(): string | undefined {
  const command = currentCommand.getStore();
  if (!command || command.hasBegun) return undefined;
  command.hasBegun = true;
  return command.commandId;
}
