/**
 * One timeline entry as a sentence: the key of its text, parameters, and an icon. Every screen, the terminal and exports render this;
 * entries with a form of their own (messages, calls, questions, approvals, menus, reasons to stop) have none. Pure.
 *
 * Parameters are untrusted text.
 */
import { isObject, textOf } from '../json-object.ts';
import { toStatus } from '../status.ts';
import type { StoryKey, TextParams } from '../translate.ts';
import type { ItemOf, StoryItem } from './items.ts';

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
    case 'artifact':
      return { key: 'event.artifact', params: { path: toShortPath(item.path) }, icon: 'file' };
    case 'errand': {
      const { purpose, label } = item;
      if (label === '') return undefined;
      return { key: `event.${purpose}`, params: { label: toShortPath(label) }, icon: 'input' };
    }
    case 'consent':
      return { key: 'event.consent', icon: 'consent' };
    case 'agent':
      return { key: 'event.agent', params: { agent: toAgentName(item) }, icon: 'agent' };
    case 'dismissed':
      return { key: 'event.dismissed', params: { agent: item.name ?? item.agentId }, icon: 'leave' };
    case 'command': {
      const { command, label, input } = item;
      const isText = command === 'ClarifyChoice' && label === undefined;
      return {
        key: isText ? 'event.wrote' : 'event.chose',
        params: { input: (label ?? input).slice(0, MAX_INPUT) },
        icon: 'command',
      };
    }
    case 'info':
      return describeInfo(item);
    case 'run': {
      const { title, afterSeq } = item;
      return { key: afterSeq > 0 ? 'event.runAgain' : 'event.run', params: { title }, icon: 'run' };
    }
    case 'run-left':
      return { key: 'event.runLeft', icon: 'leave' };
    case 'call':
      return { key: 'event.call', params: { title: item.title }, icon: 'call' };
    case 'call-ended':
      return { key: `event.callEnded.${item.outcome}`, params: { title: item.title }, icon: 'return' };
    case 'script': {
      const params = { path: toShortPath(item.path) };
      return item.isOver
        ? { key: 'event.scriptLeft', params, icon: 'leave' }
        : { key: 'event.scriptEntered', params, icon: 'script' };
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

const MAX_INPUT = 200;

/** `Bob, Scrum Master` */
function toAgentName({ agent: { name, title, agentId } }: ItemOf<'agent'>): string {
  return [name || agentId, title].filter((part) => part.trim() !== '').join(', ');
}

function describeInfo({ topic, details }: ItemOf<'info'>): ItemSentence | undefined {
  const { contextTokens: size, requestTokens: used } = details;
  if (topic === 'context' && typeof size === 'number' && typeof used === 'number')
    return {
      key: 'event.contextNow',
      params: { used: toGrouped(used), size: toGrouped(size) },
      icon: 'info',
    };
  const name = topic === 'model' ? toModelName(details.model) : undefined;
  return name === undefined ? undefined : { key: 'event.modelNow', params: { name }, icon: 'info' };
}

/** Read by hand: the schema of a model would be part of the page for this alone. */
function toModelName(model: unknown): string | undefined {
  if (!isObject(model)) return undefined;
  const settings = isObject(model.settings) ? model.settings : {};
  return textOf(model.profile) ?? textOf(settings.model) ?? textOf(model.file) ?? textOf(model.kind);
}

/** `128,000` */
function toGrouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

const DONE: ReadonlySet<string> = new Set(['restored', 'deleted', 'recreated']);

function describeUndone({ files, direction }: ItemOf<'undone'>): ItemSentence {
  const count = files.filter(({ outcome }) => DONE.has(outcome)).length;
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
