/** Asks the person at the terminal for whatever a run waits for. */
import type { Pending, Runtime, SessionStop } from '@crewagent/core';
import { askPerson } from './ask-person.ts';
import { openFilesOf } from './open-files.ts';
import { createPrompter } from './prompter.ts';
import type { WorkCommand } from './work-command.ts';

export function createAsker(runtime: Runtime, projectId: string, signal: AbortSignal) {
  const deps = { prompter: createPrompter(signal), openFiles: () => openFilesOf(runtime, projectId) };
  return (stop: SessionStop, pending: Pending | undefined): Promise<WorkCommand | undefined> =>
    askPerson(stop, pending, deps);
}
