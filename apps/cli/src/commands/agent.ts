/** `crewagent agent` and `crewagent chat`: starts or continues a conversation. */
import { CrewError, type Runtime, toAddress } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { type Attendance, createAttendance } from '../attendance.ts';
import { continueConversation, type RequestedAgent } from '../drive/continue-conversation.ts';
import { driveConversation } from '../drive/drive-conversation.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { isInteractive, printError } from '../terminal.ts';
import { type LimitOptions, type ModelOptions, toLimits, toModelChoice } from './run-options.ts';

export interface ConversationOptions extends ModelOptions, LimitOptions {
  readonly project?: string;
  /** An id, or true for the latest. */
  readonly continue?: string | true;
  readonly input: readonly string[];
  readonly approve?: ApprovalPreset;
  readonly record?: string;
  readonly json?: true;
  readonly plain?: true;
}

export async function agent(
  pkg: string,
  agentId: string | undefined,
  options: ConversationOptions,
): Promise<ExitCode> {
  return converse({ package: pkg, agent: agentId }, options);
}

export async function chat(options: ConversationOptions): Promise<ExitCode> {
  if (options.input.length === 0 && (options.json || !isInteractive()))
    throw new CrewError('USAGE', 'There is no terminal to type in. Give the message with --input TEXT.');
  return converse(undefined, options);
}

async function converse(
  requested: RequestedAgent | undefined,
  options: ConversationOptions,
): Promise<ExitCode> {
  const attendance = createAttendance(options);
  const runtime = openRuntime(attendance);
  const { session, events, notice } = await open(runtime, requested, { ...options, attendance });
  if (notice !== undefined) printError(`! ${notice}`);
  return driveConversation(session, {
    attendance,
    isContinued: options.continue !== undefined,
    packageRef: requested?.package,
    packageFolder: (hash) => runtime.store.packages.folder(hash),
    async openFiles() {
      const { openFilesOf } = await import('../ask/open-files.ts');
      return openFilesOf(runtime, session.record.projectId);
    },
    initialEvents: events,
  });
}

async function open(
  runtime: Runtime,
  requested: RequestedAgent | undefined,
  options: ConversationOptions & { readonly attendance: Attendance },
) {
  const { project, continue: ref, approve: approval, record: recordTo } = options;
  const model = toModelChoice(options);
  if (ref !== undefined)
    return continueConversation(runtime, { ref, project, model, recordTo, agent: requested });
  const session = await runtime.createWork({
    projectPath: project ?? '.',
    kind: requested ? 'agent' : 'chat',
    ...requested,
    model,
    approval,
    usualApproval: options.attendance.usualApproval,
    limits: toLimits(options),
    recordTo,
    surface: 'electron',
  });
  const events: RunEvent[] = [];
  await runtime.store.works.readLog(toAddress(session.record), (event) => events.push(event));
  return { session, events, notice: undefined };
}
