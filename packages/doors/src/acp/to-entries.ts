/**
 * The rows of the page's timeline as an editor shows them: messages, notices and tool calls. Pure, so that a live session and a
 * loaded one have the same entries.
 */
import type { ToolCall, ToolCallContent, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import { toAnswerText } from '@crewagent/protocol/answer-text';
import { FOR_ALL } from '@crewagent/protocol/answers';
import { parseObject, textOf } from '@crewagent/protocol/json-object';
import type { Language } from '@crewagent/protocol/languages';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { toStatus } from '@crewagent/protocol/status';
import { describeCall, isForState } from '@crewagent/protocol/story/describe-call';
import { describeItem, toShortPath } from '@crewagent/protocol/story/describe-item';
import { describeProblem, toProblemLine } from '@crewagent/protocol/story/describe-problem';
import type { ItemOf, StoryItem, ToolItem } from '@crewagent/protocol/story/items';
import { type RowOf, toRows } from '@crewagent/protocol/story/rows';
import { entriesFor, numberOf, withoutNumber } from '@crewagent/protocol/story/to-item';
import { translate } from '@crewagent/protocol/story/translate';
import { toWorkItems, type WorkStory } from '@crewagent/protocol/story/work-story';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import { changedPaths, isFileChange, pathsOf, targetOf } from '@crewagent/protocol/tool-effects';
import type { EffectKind, ToolEffect } from '@crewagent/protocol/tools';
import type { Say } from './texts.ts';
import { type ToPath, toPreviewContent, toTextContent } from './to-preview.ts';

export type Entry = { readonly id: string } & (
  | { readonly kind: 'person'; readonly text: string; readonly answers?: string }
  | { readonly kind: 'reply'; readonly text: string; readonly reasoning?: string | undefined }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall }
);

export interface EntryOptions {
  readonly language: Language;
  readonly say: Say;
  readonly toPath: ToPath;
}

export function toEntries(view: WorkStory, options: EntryOptions): Entry[] {
  return toRows(toWorkItems(view), view.runs).flatMap((row): Entry[] => {
    // The plan shows nodes.
    if (row.kind === 'node') return [];
    if (row.kind === 'reads') return row.items.map((item) => toCallEntry(row.source, item, options));
    const titleOf = (id: string): string =>
      view.runs.get(row.source)?.nodes.find((node) => node.id === id)?.title || id;
    return toItemEntries(row, options, titleOf);
  });
}

/** Unique in a session, unlike the ids of providers. */
export function callEntryId(source: string, { seq, callId }: ToolItem): string {
  return `${source}:${seq}:${callId}`;
}

function toItemEntries(
  { source, key, item, call }: RowOf<'item'>,
  options: EntryOptions,
  titleOf: (id: string) => string,
): Entry[] {
  const { language } = options;
  switch (item.kind) {
    case 'person':
      return [{ id: key, kind: 'person', text: item.text }];
    case 'reply':
      return [{ id: key, kind: 'reply', text: item.text, reasoning: item.reasoning }];
    case 'tool':
      return [toCallEntry(source, item, options)];
    case 'question':
      return toQuestionEntries(key, item, options);
    case 'approval':
      return [{ id: key, kind: 'call', call: toDecisionCall(key, item, options) }];
    case 'menu': {
      const lines = entriesFor(item, 'electron').flatMap(({ index, label, description, handlers }) => [
        `${index}. ${label === description ? label : `**${label}** — ${description}`}`,
        ...handlers.map((choice) => `   - ${numberOf(choice)} ${withoutNumber(choice)}`),
      ]);
      return [{ id: key, kind: 'reply', text: [options.say('menu'), '', ...lines].join('\n') }];
    }
    case 'choices': {
      const lines = item.candidates.map((choice) => `- ${numberOf(choice)} ${withoutNumber(choice)}`);
      return [{ id: key, kind: 'reply', text: [item.reason, '', ...lines].join('\n') }];
    }
    case 'phase':
      if (!toStatus(item).isCompleted) return toProblemEntries(key, item, options);
      break;
    case 'notice':
      // The call that was rejected says why.
      if (call) return [toCallEntry(source, call, options)];
      if (!describeItem(item)) {
        const { level, code, message, details } = item;
        return [
          { id: key, kind: 'notice', level, text: toProblemLine(language, { code, message, details }) },
        ];
      }
      break;
    default:
  }
  const sentence = describeItem(item, titleOf);
  if (!sentence) return [];
  const title = toPlainText(translate(language, sentence.key, sentence.params));
  const about = item.kind === 'move' ? [item.reason, item.carry].filter((text) => text !== undefined) : [];
  const content = about.map(toTextContent);
  // The call was an entry of its own until it made the transition.
  const id = call ? callEntryId(source, call) : key;
  return [{ id, kind: 'call', call: { toolCallId: id, title, kind: 'other', status: 'completed', content } }];
}

function toProblemEntries(id: string, item: ItemOf<'phase'>, { language }: EntryOptions): Entry[] {
  const { reason } = item;
  if (!reason) return [];
  if (reason.details?.isUnasked === true)
    return [{ id, kind: 'notice', level: 'info', text: translate(language, 'event.unasked') }];
  const { kind, isFailed } = toStatus(item);
  if (kind === 'stopped')
    return [{ id, kind: 'notice', level: 'info', text: toProblemLine(language, reason) }];
  const { advice, isKnown } = describeProblem(reason);
  const text = joinSentences(
    toProblemLine(language, reason),
    isKnown ? translate(language, advice) : undefined,
  );
  return [{ id, kind: 'notice', level: isFailed || kind === 'problem' ? 'error' : 'warning', text }];
}

function toQuestionEntries(id: string, item: ItemOf<'question'>, { say }: EntryOptions): Entry[] {
  const { questions, answers } = item;
  const texts = questions.flatMap(({ prompt, body, options = [] }) => [
    ...(body === undefined ? [] : [body.trim(), '']),
    `**${prompt.trim()}**`,
    ...(options.length === 0 ? [] : ['', ...options.map((option, index) => `${index + 1}. ${option}`)]),
    '',
  ]);
  const asked = { id, kind: 'reply', text: texts.join('\n').trim() } as const;
  if (!answers) return [asked];
  const words = {
    yes: say('question.yes'),
    no: say('question.no'),
    skipped: say('question.skipped'),
    empty: say('question.empty'),
  };
  const given = questions.flatMap((question) =>
    Object.hasOwn(answers, question.id) ? [toAnswerText(question, answers[question.id], words)] : [],
  );
  const forAll = Object.hasOwn(answers, FOR_ALL) ? [toAnswerText({}, answers[FOR_ALL], words)] : [];
  return [
    asked,
    { id: `${id}:answer`, kind: 'person', text: [...given, ...forAll].join('\n'), answers: item.callId },
  ];
}

function toCallEntry(source: string, item: ToolItem, options: EntryOptions): Entry {
  const { language, toPath } = options;
  const { key, params } = describeCall(item);
  const target = isForState(item) || item.name.startsWith('runtime.') ? undefined : targetOf(item);
  const verb = translate(language, key, params);
  const title = toPlainText(target === undefined ? verb : `${verb} ${toTarget(target, language)}`);
  const id = callEntryId(source, item);
  const paths = [...new Set([...pathsOf(item.effect), ...changedPaths(item.effect)])];
  const locations = paths.flatMap((path) => toPath(path) ?? []).map((path) => ({ path }));
  return {
    id,
    kind: 'call',
    call: {
      toolCallId: id,
      title: title.slice(0, MAX_TITLE),
      name: item.name,
      kind: KINDS[item.effect.kind],
      status: STATUSES[item.status],
      content: toContent(item, options),
      locations,
    },
  };
}

const MAX_TITLE = 300;

function toTarget(target: string, language: Language): string {
  return target === '@project' ? translate(language, 'tools.projectFolder') : toShortPath(target);
}

const KINDS: Readonly<Record<EffectKind, ToolKind>> = {
  read: 'read',
  listed: 'read',
  searched: 'search',
  written: 'edit',
  patched: 'edit',
  state: 'think',
  asked: 'other',
  external: 'execute',
  none: 'other',
};

const STATUSES: Readonly<Record<ToolItem['status'], ToolCallStatus>> = {
  asked: 'pending',
  running: 'in_progress',
  ok: 'completed',
  failed: 'failed',
  refused: 'failed',
};

const MAX_RESULT = 8_000;

function toContent(item: ToolItem, options: EntryOptions): ToolCallContent[] {
  const { approval, effect, message, answer, progress } = item;
  const why = approval?.decision === 'no' ? translate(options.language, 'decision.no') : message;
  if (item.status === 'failed' || item.status === 'refused')
    return why === undefined ? [] : [toTextContent(why)];
  const preview = approval?.action.preview ?? toOwnPreview(item, effect);
  if (preview) return toPreviewContent(preview, options.toPath);
  if (progress?.message !== undefined) return [toTextContent(progress.message)];
  if (effect.kind === 'external' && answer !== undefined)
    return toPreviewContent({ kind: 'json', text: answer.slice(0, MAX_RESULT) }, options.toPath);
  return [];
}

/** Of a change that nobody had to approve. */
function toOwnPreview({ arguments: text, path }: ToolItem, effect: ToolEffect) {
  if (!isFileChange(effect)) return undefined;
  if (effect.diff !== undefined) return { kind: 'diff', text: effect.diff } as const;
  const content = effect.isNew && text.length < MAX_NEW ? textOf(parseObject(text)?.content) : undefined;
  const name = effect.path ?? path;
  return content === undefined || name === undefined
    ? undefined
    : ({ kind: 'new', path: name, text: content } as const);
}

const MAX_NEW = 200_000;

function toDecisionCall(id: string, item: ItemOf<'approval'>, options: EntryOptions): ToolCall {
  const { action, decision } = item;
  return {
    toolCallId: id,
    title: toPlainText(action.title),
    kind: KINDS[action.effect],
    status: decision === undefined ? 'pending' : decision === 'no' ? 'failed' : 'completed',
    content: toPreviewContent(action.preview, options.toPath),
  };
}

/** The call that an approval or a question is about, in any log of the Work. */
export function findCall(view: WorkStory, callId: string): { readonly id: string } | undefined {
  for (const story of [view.own, ...view.runs.values()]) {
    const item = story.timeline.findLast(
      (other: StoryItem) => other.kind === 'tool' && other.callId === callId,
    );
    if (item?.kind === 'tool') return { id: callEntryId(story.runId, item) };
  }
  return undefined;
}
