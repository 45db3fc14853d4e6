/**
 * Formats one timeline item of a conversation for the terminal. Pure.
 */
import { toSentence } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import { type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import { describeAgent } from './describe-conversation.ts';
import { shortId } from './describe-run.ts';

/** Lines shown of one text; for the others, only their number is printed. */
const LINES_SHOWN = 12;

/** Empty for items that are not worth a line. */
export function describeItem(item: TimelineItem, style: Styler): string[] {
  const note = (text: string): string[] => [style('dim', `  ${sanitize(text, 300)}`)];
  const entered = (text: string): string[] => [`${style('cyan', '◆')} ${style('bold', text)}`];
  switch (item.kind) {
    case 'person':
      return describeText(item.text, style('cyan', '›'), style);
    case 'command':
      return describeText(item.input, style('cyan', '›'), style);
    case 'reply':
      return [
        ...describeText(item.text, style('dim', '│'), style),
        ...(item.isPartial ? note('cut off here') : []),
      ];
    case 'tool':
      return note(describeTool(item));
    case 'question':
      return item.questions.flatMap(({ id, prompt }) => [
        ...describeText(prompt, style('cyan', '?'), style),
        ...answerTo(item, id, style),
      ]);
    case 'approval':
      return [
        `${style('cyan', '?')} ${sanitize(item.action.title)}${item.decision ? style('dim', `: ${item.decision}`) : ''}`,
      ];
    case 'move':
      return [
        ...note(`${item.from} → ${item.to}${item.label ? ` (${item.label})` : ''}`),
        ...(item.carry ? note(`noted for later: ${item.carry}`) : []),
      ];
    case 'phase':
      return describePhaseItem(item, style);
    case 'notice':
      return item.level === 'info' ? [] : [style('yellow', `! ${sanitize(item.message)}`)];
    case 'call':
      return [
        `${style('cyan', '▣')} ${style('bold', sanitize(item.title, 200))} ${style('dim', `called from ${sanitize(item.nodeId, 80)}`)}`,
      ];
    case 'agent':
      return entered(describeAgent(item.agent));
    case 'run':
      return entered(`${sanitize(item.title, 200)} (run ${shortId(item.runId)})`);
    case 'menu':
      return [];
    default: {
      if (item.kind === 'script' && !item.isOver) return entered(sanitize(item.path, 200));
      const sentence = toSentence(item.kind === 'run-left' ? { ...item, runId: shortId(item.runId) } : item);
      return sentence === undefined ? [] : note(sentence);
    }
  }
}

/** The first lines of a text, each after a mark. */
export function describeText(text: string, mark: string, style: Styler): string[] {
  const lines = sanitizeLines(text.trim());
  const more = lines.length - LINES_SHOWN;
  return [
    ...lines.slice(0, LINES_SHOWN).map((line) => `${mark} ${line}`),
    ...(more > 0 ? [style('dim', `  … ${more} more lines`)] : []),
  ];
}

function describeTool({ name, path, status, code, durationMs, isFromText }: ItemOf<'tool'>): string {
  const time = durationMs === undefined ? '' : ` ${durationMs} ms`;
  const origin = isFromText ? ', read from text' : '';
  return `${name}${path === undefined ? '' : ` ${path}`}  ${code ?? status}${time}${origin}`;
}

function answerTo({ answers }: ItemOf<'question'>, id: string, style: Styler): string[] {
  const answer = answers && Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (answer === undefined) return [];
  return describeText(
    typeof answer === 'string' ? answer : JSON.stringify(answer),
    style('cyan', '›'),
    style,
  );
}

/** Empty while a question or approval is pending: that has its own item. */
function describePhaseItem({ phase, reason }: ItemOf<'phase'>, style: Styler): string[] {
  const { kind, isAsking } = toStatus({ phase, reason });
  if (kind === 'completed') return [`${style('green', '✔')} The workflow is complete.`];
  if (kind === 'failed') return [`${style('red', '✖')} ${sanitize(reason?.message ?? 'It failed.')}`];
  if (kind === 'running' || isAsking || !reason) return [];
  return [style('yellow', `… ${sanitize(reason.message)}`)];
}
