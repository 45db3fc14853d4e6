/**
 * Formats one timeline item of a conversation. Pure.
 */
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import { describeAgent } from './describe-conversation.ts';
import { shortId } from './describe-run.ts';
import { type Styler, sanitize, sanitizeLines } from './terminal.ts';

/** Of one text; the number of further lines is printed instead of the lines. */
const LINES_SHOWN = 12;

/** Empty for items that are not worth a line. */
export function describeItem(item: TimelineItem, style: Styler): string[] {
  const note = (text: string): string[] => [style('dim', `  ${sanitize(text, 300)}`)];
  switch (item.kind) {
    case 'person':
      return block(item.text, style('cyan', '›'), style);
    case 'command':
      return block(item.input, style('cyan', '›'), style);
    case 'reply':
      return [...block(item.text, style('dim', '│'), style), ...(item.isPartial ? note('cut off here') : [])];
    case 'tool':
      return note(describeTool(item));
    case 'question':
      return item.questions.flatMap(({ id, prompt }) => [
        ...block(prompt, style('cyan', '?'), style),
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
    case 'artifact':
      return note(`wrote ${item.path}`);
    case 'undone':
      return note(
        `${item.direction}: ${item.files.map(({ path, outcome }) => `${path} ${outcome}`).join(', ')}`,
      );
    case 'phase':
      return describePhaseItem(item, style);
    case 'notice':
      return item.level === 'info' ? [] : [style('yellow', `! ${sanitize(item.message)}`)];
    case 'call':
      return [
        `${style('cyan', '▣')} ${style('bold', sanitize(item.title, 200))} ${style('dim', `called from ${sanitize(item.nodeId, 80)}`)}`,
      ];
    case 'call-ended':
      return note(`${item.title}: ${item.outcome}`);
    default:
      return describeConversationItem(item, style);
  }
}

type ConversationItem = ItemOf<
  'errand' | 'consent' | 'agent' | 'dismissed' | 'menu' | 'choices' | 'info' | 'run' | 'run-left' | 'script'
>;

function describeConversationItem(item: ConversationItem, style: Styler): string[] {
  const entered = (text: string): string[] => [`${style('cyan', '◆')} ${style('bold', text)}`];
  const note = (text: string): string[] => [style('dim', `  ${sanitize(text, 300)}`)];
  switch (item.kind) {
    case 'agent':
      return entered(describeAgent(item.agent));
    case 'run':
      return entered(`${sanitize(item.title, 200)} (run ${shortId(item.runId)})`);
    case 'script':
      return item.isOver ? note(`${item.path} ended`) : entered(sanitize(item.path, 200));
    case 'dismissed':
      return note('The agent was dismissed.');
    case 'run-left':
      return note(`left run ${shortId(item.runId)}`);
    case 'errand':
      return item.label === ''
        ? []
        : note(`+ ${item.purpose === 'data' ? 'data' : 'instruction'} ${item.label}`);
    case 'consent':
      return note('One change after completion was allowed.');
    case 'choices':
      return note([item.reason, ...item.candidates.map(({ label }) => label)].join(' '));
    case 'menu':
    case 'info':
      return [];
  }
}

function block(text: string, mark: string, style: Styler): string[] {
  const lines = sanitizeLines(text.trim());
  const more = lines.length - LINES_SHOWN;
  return [
    ...lines.slice(0, LINES_SHOWN).map((line) => `${mark} ${line}`),
    ...(more > 0 ? [style('dim', `  … ${more} more lines`)] : []),
  ];
}

function describeTool({ name, path, status, code, durationMs }: ItemOf<'tool'>): string {
  const time = durationMs === undefined ? '' : ` ${durationMs} ms`;
  return `${name}${path === undefined ? '' : ` ${path}`}  ${code ?? status}${time}`;
}

function answerTo({ answers }: ItemOf<'question'>, id: string, style: Styler): string[] {
  const answer = answers && Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (answer === undefined) return [];
  return block(typeof answer === 'string' ? answer : JSON.stringify(answer), style('cyan', '›'), style);
}

/** Empty while a question or approval is pending: that has its own item. */
function describePhaseItem({ phase, reason }: ItemOf<'phase'>, style: Styler): string[] {
  const { kind, isAsking } = toStatus({ phase, reason });
  if (kind === 'completed') return [`${style('green', '✔')} The workflow is complete.`];
  if (kind === 'failed') return [`${style('red', '✖')} ${sanitize(reason?.message ?? 'It failed.')}`];
  if (kind === 'running' || isAsking || !reason) return [];
  return [style('yellow', `… ${sanitize(reason.message)}`)];
}
