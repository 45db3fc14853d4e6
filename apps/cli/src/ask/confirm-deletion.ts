/** Asks a person before something is deleted that cannot be restored. */
import { CrewError } from '@crewagent/core';
import { isInteractive, print } from '../terminal.ts';
import { createPrompter } from './prompter.ts';

/** `whose`: the files of the project that stay, as the subject of a sentence. False if the person declines. */
export async function confirmDeletion(description: string, whose: string): Promise<boolean> {
  if (!isInteractive())
    throw new CrewError('USAGE', `Deleting ${description} cannot be undone. Confirm with --yes.`);
  const answer = await createPrompter().ask(
    `Delete ${description} permanently? ${whose} in the project stay. [y/N] `,
  );
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return true;
  print('Nothing was deleted.');
  return false;
}
