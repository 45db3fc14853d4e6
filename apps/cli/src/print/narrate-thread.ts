/**
 * Formats the events of a conversation outside runs: agents, menus, choices, commands. Pure.
 */
import type { EventOf } from '@crewagent/protocol/events';
import { runModelSchema, usageSchema } from '@crewagent/protocol/model';
import { describeCommands } from '../global-commands.ts';
import { type Styler, sanitize } from '../terminal.ts';
import { describeAgent } from './describe-conversation.ts';
import { describeChoices, describeMenu } from './describe-menu.ts';
import { count, describeModel, describeUsage, shortId } from './describe-run.ts';
import { toField } from './table.ts';

export type ThreadEvent = EventOf<
  | 'consent.given'
  | 'conversation.created'
  | 'agent.entered'
  | 'agent.dismissed'
  | 'command.resolved'
  | 'menu.shown'
  | 'choice.offered'
  | 'menu.closed'
  | 'model.changed'
  | 'info.shown'
  | 'run.entered'
  | 'run.left'
  | 'script.entered'
  | 'script.left'
>;

export interface DescribeOptions {
  readonly style: Styler;
  readonly width: number | undefined;
  /** Whether the person's input is on the screen already, because it was typed there. */
  readonly isTyped: boolean;
}

/** Complete lines, or an empty string. */
export function describeThreadEvent(event: ThreadEvent, options: DescribeOptions): string {
  return toLines(event, options)
    .map((line) => `${line}\n`)
    .join('');
}

function toLines(event: ThreadEvent, options: DescribeOptions): readonly string[] {
  const { style } = options;
  switch (event.type) {
    case 'conversation.created':
    case 'menu.closed':
      return [];
    case 'model.changed':
      return [style('dim', `◇ The model is now ${describeModel(event.model)}.`)];
    case 'agent.entered':
      return [`${style('cyan', '◆')} ${style('bold', describeAgent(event.agent))}`];
    case 'agent.dismissed':
      return [style('dim', '◇ The agent was dismissed; this is plain chat now.')];
    case 'command.resolved':
      return describeCommand(event, options);
    case 'menu.shown':
      return describeMenu(event.entries, options);
    case 'choice.offered':
      return describeChoices(event, options);
    case 'info.shown':
      return describeInfo(event, options);
    case 'run.entered':
      return [
        `${style('cyan', '◆')} ${style('bold', sanitize(event.title, 200))} ${style('dim', `run ${shortId(event.enteredRunId)}`)}`,
      ];
    case 'run.left':
      return [style('dim', `◇ Left run ${shortId(event.leftRunId)}.`)];
    case 'script.entered':
      return [`${style('cyan', '◆')} ${style('bold', sanitize(event.path, 200))}`];
    case 'script.left':
      return [style('dim', `◇ ${sanitize(event.path, 200)} ended.`)];
    case 'consent.given':
      return [style('dim', '  One change after completion is allowed.')];
  }
}

/** Prints the interpretation of a guessed command; rejected and ambiguous commands have messages of their own. */
function describeCommand(
  event: EventOf<'command.resolved'>,
  { style, isTyped }: DescribeOptions,
): readonly string[] {
  const input = isTyped ? [] : [`${style('cyan', '  ›')} ${sanitize(event.input)}`];
  const isGuess = event.confidence !== 'exact' && event.kind !== 'ClarifyChoice' && event.kind !== 'Refused';
  return isGuess ? [...input, style('dim', `  → ${sanitize(event.reason, 300)}`)] : input;
}

function describeInfo(
  { topic, details }: EventOf<'info.shown'>,
  { style, width }: DescribeOptions,
): readonly string[] {
  const field = (name: string, text: string): string => toField(name, text, 9, style);
  switch (topic) {
    case 'help':
      return describeCommands({ style, width });
    case 'model': {
      const { data } = runModelSchema.safeParse(details.model);
      return data ? [field('model', describeModel(data))] : [];
    }
    case 'context': {
      const { requestTokens, contextTokens, turns } = details;
      const { data: usage } = usageSchema.safeParse(details.usage);
      return [
        field('context', `${toCount(requestTokens)} of ${toCount(contextTokens)} tokens in the last request`),
        ...(usage ? [field('used', describeUsage(typeof turns === 'number' ? turns : 0, usage))] : []),
      ];
    }
  }
}

function toCount(value: unknown): string {
  return typeof value === 'number' ? count(value) : '?';
}
