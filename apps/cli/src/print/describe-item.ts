/**
 * Formats one timeline item for the terminal, while it happens and afterwards. Pure.
 */

import { FOR_ALL } from '@crewagent/protocol/answers';
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { Language } from '@crewagent/protocol/languages';
import { usageSchema } from '@crewagent/protocol/model';
import { toStatus } from '@crewagent/protocol/status';
import {
  describeReads as countReads,
  describeCall,
  isAbsent,
  isForState,
} from '@crewagent/protocol/story/describe-call';
import {
  describeItem as describe,
  type ItemIcon,
  isUndone,
  toGrouped,
  toShortPath,
} from '@crewagent/protocol/story/describe-item';
import { type Problem, toProblemLine } from '@crewagent/protocol/story/describe-problem';
import type { ItemOf, StoryItem, ToolItem } from '@crewagent/protocol/story/items';
import { translate } from '@crewagent/protocol/story/translate';
import { isFileChange, targetOf } from '@crewagent/protocol/tool-effects';
import { type Style, type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { describeChoices, describeMenu, toColumns } from './describe-menu.ts';
import { describeUsage, shortId } from './describe-work.ts';
import { listCommands } from './list-commands.ts';
import { shownCells } from './text/wrap.ts';

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
      return [describeTool(item, options)];
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

function describeDecision({ decision, by }: ItemOf<'approval'>, { style, language }: ItemOptions): string {
  if (!decision) return '';
  const decided = translate(language, `decision.${decision}`);
  const name = by && sanitize(by, 100);
  return style('dim', `: ${name ? translate(language, 'decision.by', { decided, name }) : decided}`);
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

/** A call by its verb and target, with the lines it changed; of a failed one the code, for whoever looks it up. */
function describeTool(item: ItemOf<'tool'>, { style, language, titleOf }: ItemOptions): string {
  const { key, params } = describeCall(item);
  const { name, status, code, effect, isFromText } = item;
  const target = isForState(item) ? undefined : targetOf(item);
  const isNode = name === 'runtime.complete_node';
  const verb = sanitize(translate(language, key, params), 120);
  const shown =
    target === undefined ? '' : ` ${isNode && titleOf ? titleOf(target) : toTarget(target, language)}`;
  if ((status === 'failed' || status === 'refused') && !isAbsent(item)) {
    const { decision } = item.approval ?? {};
    const why = decision === 'no' ? translate(language, 'decision.no') : sanitize(code ?? status, 60);
    const head = style(status === 'refused' ? 'yellow' : 'red', `${INDENT}✖ ${verb}${shown}`);
    return head + style('dim', ` (${why})`);
  }
  const text = `${verb}${shown}${isFromText ? ` (${translate(language, 'tools.fromText')})` : ''}`;
  const { added = 0, removed = 0 } = effect.isUnchanged ? {} : (effect.lines ?? {});
  const counts = [
    ...(added > 0 ? [style('green', `+${toGrouped(added)}`)] : []),
    ...(removed > 0 ? [style('red', `−${toGrouped(removed)}`)] : []),
  ];
  const isQuiet = effect.isUnchanged || (!isFileChange(effect) && effect.kind !== 'external');
  return [
    isQuiet ? style('dim', `${INDENT}· ${text}`) : `${INDENT}${style('green', '✎')} ${text}`,
    ...counts,
  ].join(' ');
}

function toTarget(target: string, language: Language): string {
  return target === '@project'
    ? translate(language, 'tools.projectFolder')
    : sanitize(toShortPath(target), 120);
}

/** Reads that follow each other on one line: what they read, if it fits. */
export function describeReads(items: readonly ToolItem[], options: ItemOptions): string[] {
  const { style, language, width = Number.POSITIVE_INFINITY } = options;
  const [first] = items;
  if (!first) return [];
  if (items.length === 1) return [describeTool(first, options)];
  const counts = countReads(items).map(({ key, params }) => translate(language, key, params));
  const line = `${INDENT}· ${counts.join(translate(language, 'reads.separator'))}`;
  const names = [...new Set(items.map((item) => toTarget(targetOf(item) ?? '', language)))].join(', ');
  const full = `${line}: ${names}`;
  return [style('dim', shownCells(full) <= width ? full : line)];
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
        `${INDENT}↻ ${sanitize(toProblemLine(language, item), 300)} ${translate(language, 'event.retryIn', { seconds })}`,
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
