/**
 * The profile "small": shorter rules, and only the tools that the step needs. For models with a small context, for those that a
 * person calls small, and for those that make the slips of small models in this run.
 */

import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { ModelTraits } from '../llm/llm-adapter.ts';
import type { OfferedTool } from '../tools/tool-host.ts';
import type { RunMemory } from './run-memory.ts';

/** With this many slips a model counts as small for the rest of the run. */
const MAX_SLIPS = 4;

/** The step that the model works on, if it is a small one; empty if its text was not sent. */
export function smallStepOf(
  { history, slips }: Pick<RunMemory, 'history' | 'slips'>,
  { size, stopsOnPurpose }: ModelTraits,
): string | undefined {
  const isSmall = size === 'small' || (size === undefined && !stopsOnPurpose && slips >= MAX_SLIPS);
  if (!isSmall || history.nodeId === undefined) return undefined;
  const anchors = history.messages
    .flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : []))
    .filter(({ kind, text }) => kind === 'anchor' && text.includes('STEP_FILE'));
  return anchors.map(({ text }) => text.slice(text.indexOf('STEP_FILE'))).join('\n');
}

/** Other tools can still be called. */
export function toolsFor(step: string, tools: readonly OfferedTool[]): readonly OfferedTool[] {
  if (step === '') return tools;
  return tools.filter(({ name, wireName }) => {
    if (ALWAYS.has(name) || step.includes(name) || step.includes(wireName)) return true;
    const server = /^mcp\.([^.]+)\./.exec(name)?.[1];
    return (server !== undefined && step.includes(server)) || (WORDS[name]?.test(step) ?? false);
  });
}

const ALWAYS: ReadonlySet<string> = new Set([
  'fs.read',
  'fs.write',
  'runtime.complete_node',
  'runtime.update_state',
  'ui.ask_user',
]);

/** Words of a step that a tool is needed for. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'fs.list': /\b(?:list|folders?|director(?:y|ies))\b|目录|文件夹|列出/i,
  'fs.search': /\b(?:search|find|grep|look for|scan)\b|搜索|查找|检索/i,
  'fs.apply_patch':
    /\b(?:edit|update|change|modify|patch|replace|append|insert|add to)\b|修改|更新|追加|替换/i,
  'shell.run': /\b(?:run|execute|command|tests?|build|install)\b|运行|执行|命令/i,
};

/** Counts the slips of a run that small models make: calls with invalid names or arguments, and calls written as text. */
export function foldSlips(slips: number, event: RunEvent): number {
  if (event.type === 'tool.ended') return slips + (isSlip(event) ? 1 : 0);
  if (event.type !== 'message.completed') return slips;
  return slips + (event.toolCalls?.some(({ isFromText }) => isFromText) ? 1 : 0);
}

const SLIP_CODES: ReadonlySet<string | undefined> = new Set([
  'TOOL_ARGS_INVALID',
  'TOOL_ARGS_INVALID_JSON',
  'TOOL_NOT_AVAILABLE',
]);

function isSlip({ code }: EventOf<'tool.ended'>): boolean {
  return SLIP_CODES.has(code);
}
