/**
 * Formats one timeline item for the terminal, while it happens and afterwards. Pure.
 */

import { FOR_ALL } from '@crewagent/protocol/answers';
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { Language } from '@crewagent/protocol/languages';
import { usageSchema } from '@crewagent/protocol/model';
import { toStatus } from '@crewagent/protocol/status';
import { describeItem as describe, type ItemIcon, isUndone } from '@crewagent/protocol/story/describe-item';
import { type Problem, toProblemLine } from '@crewagent/protocol/story/describe-problem';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { translate } from '@crewagent/protocol/story/translate';
import { targetOf } from '@crewagent/protocol/tool-effects';
import { listCommands } from '../global-commands.ts';
import { type Style, type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { describeChoices, describeMenu, toColumns } from './describe-menu.ts';
import { describeUsage, shortId } from './describe-work.ts';

export interface ItemOptions {
  readonly style: Styler;
  /** Terminal width; undefined without a terminal. */
  readonly width: number | undefined;
  readonly language: Language;
  readonly titleOf?: (nodeId: string) => string;
}

/** Lines shown of one text; for the others, only their number is printed. */
const LINES_SHOWN = 12;
const INDENT = '  ';

/** Empty for items that are not worth a line. */
export function describeItem(item: StoryItem, options: ItemOptions): string[] {
  const { style, language } = options;
  const asked = style('cyan', '?');
  switch (item.kind) {
    case 'person':
      return describeText(item.text, style('cyan', '›'), style);
    case 'command':
      return describeText(item.input, style('cyan', '›'), style);
    case 'reply':
      return [
        ...describeText(item.text, style('dim', '│'), style),
        ...(item.isPartial ? [style('dim', `${INDENT}${translate(language, 'event.cutOff')}`)] : []),
      ];
    case 'tool':
      return [describeTool(item, style)];
    case 'question':
      return [
        ...item.questions.flatMap(({ id, prompt, body }) => [
          ...(body === undefined ? [] : describeText(body, style('dim', '│'), style)),
          ...describeText(prompt, asked, style),
          ...answerTo(item, id, style),
        ]),
        ...answerTo(item, FOR_ALL, style),
      ];
    case 'approval':
      return [`${asked} ${sanitize(item.action.title)}${describeDecision(item, options)}`];
    case 'phase':
      return describeStop(item, options);
    case 'notice':
      return describeNotice(item, options);
    case 'menu':
      return describeMenu(item.entries, options);
    case 'choices':
      return describeChoices(item, options);
    case 'undone':
      return item.files.map(
        (file) =>
          `${isUndone(file) ? style('green', '✔') : style('red', '✖')} ${describeUndone(file, language)}`,
      );
    default:
      return describeSentence(item, options);
  }
}

function describeDecision({ decision }: ItemOf<'approval'>, { style, language }: ItemOptions): string {
  return decision ? style('dim', `: ${translate(language, `decision.${decision}`)}`) : '';
}

/** Sentences that begin a part of the conversation are printed in bold, the others dimmed. */
function describeSentence(item: StoryItem, { style, language, titleOf }: ItemOptions): string[] {
  const sentence = describe(item, titleOf);
  if (!sentence) return [];
  const text = sanitize(translate(language, sentence.key, sentence.params), 400);
  const runId =
    item.kind === 'run' ? item.runId : item.kind === 'mark' && item.what === 'runLeft' ? item.id : '';
  const run = runId ? style('dim', ` (run ${shortId(runId)})`) : '';
  const [mark, colour] = MARKS[sentence.icon] ?? ['·', undefined];
  return [
    colour === undefined
      ? style('dim', `${INDENT}${mark} ${text}`) + run
      : `${style(colour, mark)} ${style('bold', text)}${run}`,
    ...(item.kind === 'move' && item.carry
      ? [style('dim', `${INDENT}  ${translate(language, 'event.carry')} ${sanitize(item.carry, 300)}`)]
      : []),
  ];
}

const MARKS: Readonly<Partial<Record<ItemIcon, readonly [mark: string, colour?: Style]>>> = {
  agent: ['◆', 'cyan'],
  run: ['◆', 'cyan'],
  script: ['◆', 'cyan'],
  call: ['▣', 'cyan'],
  completed: ['✔', 'green'],
  input: ['+'],
  leave: ['◇'],
  move: ['→'],
  return: ['↩'],
  undo: ['↶'],
};

/** The first lines of a text, each after a mark. */
export function describeText(text: string, mark: string, style: Styler): string[] {
  const lines = sanitizeLines(text.trim());
  const more = lines.length - LINES_SHOWN;
  return [
    ...lines.slice(0, LINES_SHOWN).map((line) => `${mark} ${line}`),
    ...(more > 0 ? [style('dim', `${INDENT}… ${more} more lines`)] : []),
  ];
}

function describeTool(item: ItemOf<'tool'>, style: Styler): string {
  const { name, status, code, durationMs, message, isFromText } = item;
  const target = targetOf(item);
  const head = `${INDENT}${sanitize(name, 80)}${target === undefined ? '' : ` ${sanitize(target, 120)}`}`;
  if (status === 'failed' || status === 'refused') {
    const why = message ? style('dim', `  ${sanitize(message, 200)}`) : '';
    return `${style(status === 'refused' ? 'yellow' : 'red', `${head}  ${sanitize(code ?? status, 60)}`)}${why}`;
  }
  return style(
    'dim',
    `${head}  ${status}${durationMs === undefined ? '' : ` ${durationMs} ms`}${isFromText ? ', read from text' : ''}`,
  );
}

function answerTo({ answers }: ItemOf<'question'>, id: string, style: Styler): string[] {
  const answer = answers && Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (answer === undefined) return [];
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return describeText(text, style('cyan', '›'), style);
}

/** Empty while a question or approval is pending: that has its own item. */
function describeStop(item: ItemOf<'phase'>, options: ItemOptions): string[] {
  const { style, language } = options;
  const { reason } = item;
  const lineOf = (problem: Problem = { code: '' }): string => toProblemLine(language, problem);
  const { kind, isAsking } = toStatus(item);
  if (kind === 'completed') return describeSentence(item, options);
  if (kind === 'failed') return [`${style('red', '✖')} ${sanitize(lineOf(reason))}`];
  if (kind === 'running' || isAsking || !reason) return [];
  return [style('yellow', `… ${sanitize(lineOf(reason))}`)];
}

function describeNotice(item: ItemOf<'notice'>, options: ItemOptions): string[] {
  const { style, language } = options;
  const { level, code, message, retryDelayMs } = item;
  if (code === 'info.help')
    return toColumns(
      listCommands(options.language).map(({ name, help }) => ({ name, text: help })),
      options,
    );
  if (code.startsWith('info.')) return [...describeSentence(item, options), ...usageOf(item, style)];
  if (retryDelayMs !== undefined) {
    const seconds = (retryDelayMs / 1_000).toFixed(retryDelayMs < 10_000 ? 1 : 0);
    return [
      style(
        'yellow',
        `${INDENT}↻ ${sanitize(toProblemLine(language, item), 300)} Retrying in ${seconds} s (${code}).`,
      ),
    ];
  }
  if (code === 'context.effective') return [style('dim', `${INDENT}⇣ compacted: ${sanitize(message)}`)];
  return level === 'info' ? [] : [style('yellow', `${INDENT}! ${sanitize(toProblemLine(language, item))}`)];
}

function usageOf({ details = {} }: ItemOf<'notice'>, style: Styler): string[] {
  const { data } = usageSchema.safeParse(details.usage);
  const turns = typeof details.turns === 'number' ? details.turns : 0;
  return data ? [style('dim', `${INDENT}· ${describeUsage(turns, data)}`)] : [];
}

export function describeUndone(
  { path, outcome, cause, reason }: UndoneFile,
  language = userLanguage(),
): string {
  const why = reason !== undefined && outcome === 'failed' ? `: ${sanitize(reason)}` : '';
  return `${sanitize(path)} ${translate(language, `event.outcome.${cause ?? outcome}`)}${why}`;
}
