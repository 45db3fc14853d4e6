/**
 * One timeline entry as a sentence: the key of its text, parameters, and an icon. Every screen, the terminal and exports render this;
 * entries with a form of their own (messages, calls, questions, approvals, menus, reasons to stop) have none. Pure.
 *
 * Parameters are untrusted text.
 */
import type { UndoneFile } from '../journal.ts';
import { isObject, textOf } from '../json-object.ts';
import { toStatus } from '../status.ts';
import type { TextParams } from '../texts/render-text.ts';
import type { ItemOf, MarkName, StoryItem } from './items.ts';
import type { StoryKey } from './translate.ts';

export interface ItemSentence {
  readonly key: StoryKey;
  readonly params?: TextParams;
  readonly icon: ItemIcon;
}

export type ItemIcon =
  | 'agent'
  | 'call'
  | 'command'
  | 'completed'
  | 'consent'
  | 'file'
  | 'info'
  | 'input'
  | 'leave'
  | 'move'
  | 'return'
  | 'run'
  | 'script'
  | 'undo';

type NamedNode = (nodeId: string) => string;

/** Undefined for entries that are shown in another form, or not at all. */
export function describeItem(item: StoryItem, titleOf: NamedNode = (id) => id): ItemSentence | undefined {
  switch (item.kind) {
    case 'mark': {
      const { what, name } = item;
      return { key: `mark.${what}`, params: { name: toShortPath(name) }, icon: MARKS[what] };
    }
    case 'agent':
      return { key: 'event.agent', params: { agent: toAgentName(item) }, icon: 'agent' };
    case 'command': {
      const { command, label, input } = item;
      const isText = command === 'ClarifyChoice' && label === undefined;
      return {
        key: isText ? 'event.wrote' : 'event.chose',
        params: { input: (label ?? input).slice(0, MAX_INPUT) },
        icon: 'command',
      };
    }
    case 'notice':
      return describeInfo(item);
    case 'run': {
      const { title, afterSeq } = item;
      return { key: afterSeq > 0 ? 'event.runAgain' : 'event.run', params: { title }, icon: 'run' };
    }
    case 'call':
      return { key: 'event.call', params: { title: item.title }, icon: 'call' };
    case 'upgraded': {
      const { version, stale } = item;
      const files = stale.map(toShortPath).join(', ').slice(0, MAX_INPUT);
      return {
        key: files ? 'event.upgradedStale' : 'event.upgraded',
        params: { version, files },
        icon: 'info',
      };
    }
    case 'undone':
      return describeUndone(item);
    case 'move':
      return describeMove(item, titleOf);
    case 'phase':
      return toStatus(item).isCompleted ? { key: 'event.completed', icon: 'completed' } : undefined;
    default:
      return undefined;
  }
}

const MARKS: Readonly<Record<MarkName, ItemIcon>> = {
  artifact: 'file',
  found: 'file',
  data: 'input',
  directive: 'input',
  consent: 'consent',
  agentLeft: 'leave',
  runLeft: 'leave',
  callCompleted: 'return',
  callSkipped: 'return',
  callAbandoned: 'return',
  script: 'script',
  scriptLeft: 'leave',
  movedBy: 'info',
  movedFrom: 'info',
  forked: 'info',
  carried: 'info',
  handed: 'info',
};

const MAX_INPUT = 200;

/** `Bob, Scrum Master` */
function toAgentName({ agent: { name, title, agentId } }: ItemOf<'agent'>): string {
  return [name || agentId, title].filter((part) => part.trim() !== '').join(', ');
}

/** The answer to a command; other notices are problems. */
function describeInfo({ code, details = {} }: ItemOf<'notice'>): ItemSentence | undefined {
  const { contextTokens: size, requestTokens: used } = details;
  if (code === 'info.context' && typeof size === 'number' && typeof used === 'number')
    return {
      key: 'event.contextNow',
      params: { used: toGrouped(used), size: toGrouped(size) },
      icon: 'info',
    };
  const name = code === 'info.model' ? toModelName(details.model) : undefined;
  return name === undefined ? undefined : { key: 'event.modelNow', params: { name }, icon: 'info' };
}

/** Read by hand: the schema of a model would be part of the page for this alone. */
function toModelName(model: unknown): string | undefined {
  if (!isObject(model)) return undefined;
  const settings = isObject(model.settings) ? model.settings : {};
  return textOf(model.profile) ?? textOf(settings.model) ?? textOf(model.file) ?? textOf(model.kind);
}

/** `128,000`; `Intl` would be slow to load in a terminal. */
export function toGrouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Outcomes of an undo that changed the file. */
export const HAS_MOVED: ReadonlySet<UndoneFile['outcome']> = new Set(['restored', 'deleted', 'recreated']);

/** Whether the file has the intended content now. */
export function isUndone({ outcome }: Pick<UndoneFile, 'outcome'>): boolean {
  return HAS_MOVED.has(outcome) || outcome === 'unchanged';
}

function describeUndone({ files, direction }: ItemOf<'undone'>): ItemSentence {
  const count = files.filter(({ outcome }) => HAS_MOVED.has(outcome)).length;
  if (count === 0) return { key: 'event.notUndone', icon: 'undo' };
  return { key: `event.${direction}`, params: { count }, icon: 'undo' };
}

function describeMove({ from, to, label, isRewind }: ItemOf<'move'>, titleOf: NamedNode): ItemSentence {
  const ends = { from: titleOf(from), to: titleOf(to) };
  if (isRewind)
    return { key: from === to ? 'event.restarted' : 'event.wentBack', params: ends, icon: 'undo' };
  if (label === undefined) return { key: 'event.moved', params: ends, icon: 'move' };
  return { key: 'event.movedBy', params: { ...ends, label }, icon: 'move' };
}

/** Files of the project by their path in it. */
export function toShortPath(path: string): string {
  return path.replace(/^@project\//, '');
}
