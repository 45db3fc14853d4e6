/**
 * A call of a tool by a host: its arguments, the person behind it, what the tools work with, and the run that it is for.
 */
import { CrewError, type HostedRun, type Runtime } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import type { Catalogue } from './catalogue.ts';
import type { Form } from './forms.ts';
import type { HostProject, OpenRuns, RunHandle } from './open-runs.ts';
import type { WAIVE_TEXTS } from './texts.ts';

/** What a tool answers: a text for the model, or a form for the person, after which it is called again with the same arguments. */
export type ToolReply =
  | { readonly kind: 'text'; readonly text: string; readonly isError?: boolean }
  | { readonly kind: 'form'; readonly key: string; readonly form: Form };

export interface ToolCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly project: HostProject;
  /** Whether the host shows forms to the person. */
  readonly asksPerson: boolean;
  /** What the person entered in the form with this key; undefined if it was not shown yet. */
  reply(key: string): FormReply | undefined;
}

/** Undefined content: the person declined. */
export interface FormReply {
  readonly content: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolParts {
  readonly openRuns: OpenRuns;
  readonly catalogue: Catalogue;
  readonly runtime: Pick<Runtime, 'store'>;
  readonly language: keyof typeof WAIVE_TEXTS;
  /** Newest first. */
  listRuns(
    project: HostProject,
  ): Promise<readonly { readonly runId: string; readonly line: string; readonly isComplete: boolean }[]>;
}

export async function onRun(
  call: ToolCall,
  { openRuns }: ToolParts,
  work: (run: HostedRun) => Promise<ToolReply>,
): Promise<ToolReply> {
  const handle: RunHandle = await openRuns.find(runOf(call), call.project);
  return handle.use(work);
}

export function runOf({ args }: ToolCall): string | undefined {
  return args.run === undefined ? undefined : requireText(args.run, 'run');
}

export function withoutRun({ args: { run: _, ...args } }: ToolCall): object {
  return args;
}

export function requireObject(value: unknown, name: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new CrewError('USAGE', `"${name}" must be an object, not a text.`);
}

export function requireText(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new CrewError('USAGE', `"${name}" must be a text.`);
}
