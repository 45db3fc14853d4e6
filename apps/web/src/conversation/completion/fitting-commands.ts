/** Commands of the runtime that are available now. Pure. */
import { modeOf } from '@crewagent/protocol/conversation-state';
import { isFileChange } from '@crewagent/protocol/tool-effects';
import type { en } from '../../i18n/texts/en/en.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';

/** Commands with a description in the texts. */
export type CommandName = keyof typeof en.command;

export function fittingCommands({
  state,
  active,
  runs,
}: Pick<ConversationPicture, 'state' | 'active' | 'runs'>): readonly CommandName[] {
  const isInRun = modeOf(state) === 'run';
  const { kind, canResume } = active.status;
  const isRunning = kind === 'running';
  const isCutOff =
    canResume || (!isInRun && [...runs.values()].some(({ status }) => status.kind !== 'completed'));
  const fits: readonly (readonly [CommandName, boolean])[] = [
    ['menu', state.agent !== undefined],
    ['resume', !isRunning && isCutOff],
    ['pause', isRunning],
    ['stop', isInRun],
    ['undo', !isRunning && (active.earlier !== undefined || active.timeline.some(isChange))],
    ['allow', isInRun && kind === 'completed'],
    // `exit` is an alias.
    ['dismiss', isInRun || state.agent !== undefined],
    ['model', true],
    ['context', true],
    ['help', true],
  ];
  return fits.filter(([, does]) => does).map(([name]) => name);
}

function isChange(item: ConversationPicture['active']['timeline'][number]): boolean {
  return item.kind === 'tool' && item.status === 'ok' && isFileChange(item.effect);
}
