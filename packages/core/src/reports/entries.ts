/**
 * Converts timeline entries of a run or a conversation to entries of an export. Pure.
 */
import { type AnswerWords, toAnswerText } from '@crewagent/protocol/answer-text';
import { forAllOf } from '@crewagent/protocol/answers';
import { isFileAction } from '@crewagent/protocol/described-actions';
import { toReadableJson } from '@crewagent/protocol/json-text';
import { toStatus } from '@crewagent/protocol/status';
import { describeItem } from '@crewagent/protocol/story/describe-item';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import type { DescribedAction, Question } from '@crewagent/protocol/tools';
import { describePhase, toBlock, toLine, toTime } from './text.ts';
import type { Words } from './words.ts';

export type Entry = { readonly time: string } & (
  | {
      readonly kind: 'said';
      readonly who: 'Person' | 'Model';
      readonly text: string;
      readonly thoughts: string;
    }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly about: string;
      readonly outcome: string;
      readonly isOk: boolean;
      readonly arguments: string;
      readonly answer: string;
    }
  | { readonly kind: 'question'; readonly questions: readonly AskedQuestion[] }
  | {
      readonly kind: 'approval';
      readonly sentence: string;
      readonly note: string;
      /** Lines of the action's preview: a unified diff, or JSON. */
      readonly preview: readonly string[];
    }
  | { readonly kind: 'line'; readonly tone: Tone; readonly text: string }
);

export type AskedQuestion = ReturnType<typeof toQuestions>[number];

export type Tone = 'info' | 'warning' | 'error';

const MAX_TEXT = 50_000;
const MAX_PREVIEW = 20_000;

/** Undefined for entries that tell a reader nothing. */
export function toEntry(
  item: StoryItem,
  { maxAnswer, titleOf, words }: { maxAnswer: number; titleOf(nodeId: string): string; words: Words },
): Entry | undefined {
  const time = toTime(item.ts);
  const { t } = words;
  const line = (text: string, tone: Tone = 'info'): Entry => ({
    time,
    kind: 'line',
    tone,
    text: toLine(text),
  });
  switch (item.kind) {
    case 'person':
      return { time, kind: 'said', who: 'Person', text: toBlock(item.text, MAX_TEXT, words), thoughts: '' };
    case 'reply': {
      const thoughts = toBlock(item.reasoning ?? '', MAX_TEXT, words);
      const end = item.isPartial ? `\n\n(${words.shared('event.cutOff')})` : '';
      return { time, kind: 'said', who: 'Model', text: toBlock(item.text, MAX_TEXT, words) + end, thoughts };
    }
    case 'tool':
      return {
        time,
        kind: 'tool',
        name: toLine(item.name),
        about: toLine(item.path ?? ''),
        outcome: toLine(describeOutcome(item, words)),
        isOk: item.status === 'ok',
        arguments: toBlock(toReadableJson(item.arguments), maxAnswer, words),
        answer: toBlock(toReadableJson(item.answer ?? ''), maxAnswer, words),
      };
    case 'question':
      return { time, kind: 'question', questions: toQuestions(item, words) };
    case 'approval': {
      const { tool, action, decision } = item;
      const decided = decision ? words.shared(`decision.${decision}`) : t('noDecision');
      const request = isFileAction(action) ? t('asked', { tool, target: action.target }) : action.title;
      return {
        time,
        kind: 'approval',
        sentence: toLine(`${request}: ${decided}.`),
        note: toLine(item.note ?? ''),
        preview: toBlock(toPreview(action), MAX_PREVIEW, words).split('\n'),
      };
    }
    case 'phase': {
      const { isRunning, isCompleted } = toStatus(item);
      if (isCompleted) break;
      return isRunning
        ? undefined
        : line(t('runIs', { phase: describePhase(item.phase, item.reason, words) }));
    }
    case 'notice':
      if (item.code.startsWith('info.')) break;
      return line(`${item.message} (${item.code})`, item.level);
    case 'command':
      return { time, kind: 'said', who: 'Person', text: toBlock(item.input, MAX_TEXT, words), thoughts: '' };
    case 'menu':
      return line(
        t('menu', { entries: item.entries.map(({ index, label }) => `${index}. ${label}`).join(', ') }),
      );
    case 'choices':
      return line([item.reason, ...item.candidates.map(({ label }) => label)].join(' '));
    default:
  }
  const sentence = describeItem(item, titleOf);
  if (!sentence) return undefined;
  const notes = item.kind === 'move' ? item.notes : [];
  return line([words.shared(sentence.key, sentence.params), ...notes].join('. '));
}

function toPreview({ preview: { kind, text } }: DescribedAction): string {
  return kind === 'json' ? toReadableJson(text) : text;
}

function describeOutcome({ status, code, durationMs }: ItemOf<'tool'>, { t }: Words): string {
  const outcome = t(`toolStatus.${status === 'asked' || status === 'running' ? 'open' : status}`);
  const took = durationMs === undefined ? '' : `, ${durationMs} ms`;
  return `${outcome}${code === undefined ? '' : ` (${code})`}${took}`;
}

/** `body`: what was to read above a question; empty if there was nothing. `answer`: undefined while it is open. */
function toQuestions({ questions, answers }: ItemOf<'question'>, words: Words) {
  const { t } = words;
  const isOpen = ({ id }: Question): boolean => !answers || !Object.hasOwn(answers, id);
  const forAll = forAllOf(answers);
  const said: AnswerWords = {
    yes: t('answers.yes'),
    no: t('answers.no'),
    skipped: t('answers.skipped'),
    empty: t('answers.empty'),
  };
  const first = questions.find(isOpen);
  return questions.map((question) => {
    const { id, prompt, body = '', options = [] } = question;
    const shared = question === first ? forAll : forAll && t('sameAnswer');
    const answer = isOpen(question) ? shared : answers?.[id];
    return {
      body: toBlock(body, MAX_TEXT, words),
      prompt: toBlock(prompt, MAX_TEXT, words),
      options: options.map(toLine),
      answer:
        answer === undefined ? undefined : toBlock(toAnswerText(question, answer, said), MAX_TEXT, words),
    };
  });
}
