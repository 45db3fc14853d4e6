/**
 * From a command to what it does. Whatever can fail is done first, so that a command that fails leaves everything as it is;
 * then the conversation turns to what was asked for.
 */

import {
  type BuiltinAction,
  type CommandResolution,
  GLOBAL_COMMANDS,
  type TargetSurface,
} from '@crewagent/protocol/commands';
import { activeView } from '@crewagent/protocol/work-view';
import { CrewError } from '../base/crew-error.ts';
import { toActionDirective, toScriptDirective } from '../prompt/shells.ts';
import { checkWorkflow, workflowOf } from './check-workflow.ts';
import { loadData } from './data-context.ts';
import { findScript } from './find-script.ts';
import type { Partner } from './open-talk.ts';
import { resumeRun } from './resume-run.ts';
import type { Stage } from './stage.ts';
import { type StartInput, toQueuedInput, toTold } from './start-run.ts';
import type { Begin, Pump } from './turn-taking.ts';

export interface CommandSources {
  readonly stage: Stage;
  readonly begin: Begin;
  /** Changes whose undo is in conflict with what a person did; the ones before them can still be undone. */
  readonly stuck: Set<string>;
  /** Makes a run of the conversation's and enters it. */
  startRun(partner: Partner, workflow: string, inputs: readonly StartInput[]): Promise<Pump>;
  menu(): Parameters<Stage['emit']>[0];
  /** Whose numbers offered choices have; undefined where all surfaces have the same. */
  readonly choicesOf?: TargetSurface | undefined;
}

export async function carryOut(command: CommandResolution, sources: CommandSources): Promise<Pump> {
  const { stage } = sources;
  switch (command.kind) {
    case 'ShowMenu':
      stage.emit(stage.talk.partner ? sources.menu() : helpOf());
      return undefined;
    case 'ClarifyChoice':
      stage.emit({
        type: 'choice.offered',
        reason: command.reason,
        candidates: [...command.candidates],
        ...(command.rest === undefined ? {} : { rest: command.rest }),
        ...(sources.choicesOf === undefined ? {} : { surface: sources.choicesOf }),
      });
      return undefined;
    case 'Refused':
      throw new CrewError(command.error.code, command.error.message);
    case 'DismissAgent':
      await dismiss(stage);
      return undefined;
    case 'ResumeRun':
      return resumeRun(sources, command.runRef);
    case 'RunAction':
      if (command.actionRef.type === 'builtin') return runBuiltin(command.actionRef.name, sources);
      return toTalk(sources, await toErrands(command, stage));
    case 'StartWorkflow': {
      const partner = requirePartner(stage);
      const workflow = workflowOf(partner.loaded, command.workflowRef);
      refuseOwnState(command);
      return sources.startRun(partner, workflow.ref, await toErrands(command, stage));
    }
    case 'ExecScript': {
      const partner = requirePartner(stage);
      if (command.execRef.type === 'workflowMd') {
        const workflow = workflowOf(partner.loaded, {
          type: 'packagePath',
          workflowMdPath: command.execRef.workflowMdPath,
        });
        return sources.startRun(partner, workflow.ref, await toErrands(command, stage));
      }
      const mdPath = await findScript(command.execRef, stage.talk.files);
      const errands = await toErrands({ ...command, execRef: { type: 'markdown', mdPath } }, stage);
      return toTalk(sources, errands, mdPath);
    }
    case 'Chat':
      throw new Error('words are not a command');
  }
}

type TargetCommand = Extract<CommandResolution, { kind: 'StartWorkflow' | 'ExecScript' | 'RunAction' }>;

/** What the model is told with a command: its data, its instruction, and what the person wrote below it. */
async function toErrands(command: TargetCommand, stage: Stage): Promise<StartInput[]> {
  const { files, partner } = stage.talk;
  if (command.validateRef && partner)
    await checkWorkflow({ files, loaded: partner.loaded }, command.validateRef);
  const previewBytes = Math.min(stage.record.tools.fs.inlineReadBytes, MAX_PREVIEW_BYTES);
  const data =
    command.dataRef &&
    (await loadData(command.dataRef, { files, previewBytes, maxBytes: stage.record.tools.fs.maxReadBytes }));
  return [
    ...(data
      ? [
          {
            content: data.text,
            purpose: 'data' as const,
            label: data.path,
            subject: { kind: 'data' as const, path: data.path, summary: data.summary },
            documentPath: data.path,
          },
        ]
      : []),
    ...toInstruction(command, partner),
    ...(command.rest === undefined ? [] : [{ content: command.rest }]),
  ];
}

/** The rest is read by the model where it needs it. */
const MAX_PREVIEW_BYTES = 8_192;

function toInstruction(command: TargetCommand, partner: Partner | undefined): StartInput[] {
  if (command.kind === 'ExecScript' && command.execRef.type === 'markdown') {
    const { mdPath } = command.execRef;
    const subject = { kind: 'script', path: mdPath } as const;
    return [{ content: toScriptDirective(mdPath, 'start'), purpose: 'directive', subject }];
  }
  if (command.kind !== 'RunAction') return [];
  const { actionRef } = command;
  if (actionRef.type === 'inline')
    return [
      {
        content: toActionDirective('inline', actionRef.text),
        purpose: 'directive',
        label: actionRef.text,
        subject: { kind: 'action', text: actionRef.text },
      },
    ];
  if (actionRef.type !== 'promptId') return [];
  const prompt = partner?.agent.prompts?.find(({ id }) => id === actionRef.id);
  if (!prompt) throw new CrewError('UnknownPromptId', `The agent has no prompt "${actionRef.id}".`);
  const content = toActionDirective(`#${prompt.id}`, prompt.content);
  const name = `#${prompt.id}`;
  return [{ content, purpose: 'directive', label: name, subject: { kind: 'action', name } }];
}

/** An action or a script: the agent is spoken to, whatever one was in before. */
async function toTalk(
  { stage, begin }: CommandSources,
  errands: readonly StartInput[],
  script?: string,
): Promise<Pump> {
  const inputs = errands.map(toQueuedInput);
  await stage.leave();
  // In one event: a script without its instruction would never begin.
  if (script === undefined) stage.emit({ type: 'errands.queued', inputs });
  else stage.emit({ type: 'script.entered', path: script, inputs });
  return begin(() => stage.talk.engine.goOn());
}

/** The run will have a folder of its own by that name. */
function refuseOwnState({ dataRef }: TargetCommand): void {
  if (!dataRef?.path.startsWith('@state/')) return;
  throw new CrewError(
    'PermissionDenied',
    `A run cannot see "${dataRef.path}"; put the data into the project.`,
  );
}

function requirePartner({ talk }: Stage): Partner {
  if (talk.partner) return talk.partner;
  throw new CrewError('RUN_NOT_READY', 'There is no agent here; choose one first.');
}

async function dismiss(stage: Stage): Promise<void> {
  const { agent } = stage.view.state;
  if (agent) return stage.turnTo(undefined, { type: 'agent.dismissed', agentId: agent.agentId });
  await stage.leave();
}

async function runBuiltin(name: BuiltinAction, { stage, stuck }: CommandSources): Promise<undefined> {
  switch (name) {
    case 'menu.show':
    case 'agent.dismiss':
    case 'run.resume':
      throw new Error(`"${name}" is a command of its own`);
    case 'run.pause':
      return void (await stage.stop());
    case 'run.stop':
      await stage.stop();
      return void (await stage.leave());
    case 'run.undo':
      return undoLast(stage, stuck);
    case 'run.allow-change':
      return void (await (await stage.active()).engine.allowStateChange());
    case 'model.show':
      stage.emit({ type: 'info.shown', topic: 'model', details: { model: toTold(stage.record.model) } });
      return;
    case 'context.show':
      stage.emit({ type: 'info.shown', topic: 'context', details: await contextOf(stage) });
      return;
    case 'help.show':
      stage.emit(helpOf());
  }
}

/** The newest change that is not undone yet, of the run one is in or of the talk. */
async function undoLast(stage: Stage, stuck: Set<string>): Promise<undefined> {
  const { journal, undo } = await stage.active();
  const last = journal.list().findLast(({ undone, callId }) => !undone && !stuck.has(callId));
  if (!last) throw new CrewError('RUN_NOT_READY', 'There is nothing to undo here.');
  const files = await undo({ callId: last.callId });
  if (files.some(({ outcome }) => STUCK.has(outcome))) stuck.add(last.callId);
}

const STUCK: ReadonlySet<string> = new Set(['conflict', 'not-recorded', 'failed']);

async function contextOf(stage: Stage): Promise<Record<string, unknown>> {
  const { engine } = await stage.active();
  const { requestBytes, bytesPerToken, turn, usage } = engine.memory;
  return {
    contextTokens: engine.contextTokens,
    requestTokens: Math.round(requestBytes / bytesPerToken),
    turns: turn,
    timeline: activeView(stage.view).timeline.length,
    usage: { ...usage },
  };
}

function helpOf(): Parameters<Stage['emit']>[0] {
  return { type: 'info.shown', topic: 'help', details: { commands: [...GLOBAL_COMMANDS.keys()] } };
}
