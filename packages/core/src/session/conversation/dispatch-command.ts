/**
 * Executes a resolved command. Steps that can fail come first, so that a failed command leaves the conversation
 * unchanged.
 */

import {
  type BuiltinAction,
  type CommandResolution,
  type ExecRef,
  GLOBAL_COMMANDS,
  type TargetSurface,
} from '@crewagent/protocol/commands';
import { activeStory } from '@crewagent/protocol/story/work-story';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf } from '../../base/errno.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { findFirst } from '../../mounts/resolve-path.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { toActionDirective, toScriptDirective } from '../../prompt/prompt-blocks.ts';
import { toConversationBlock } from '../../prompt/said-lines.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import { checkWorkflow, workflowOf } from '../check-workflow.ts';
import { loadData } from '../data-context.ts';
import { resumeRun } from '../resume-run.ts';
import { type StartInput, toPublicModel, toQueuedInput } from '../start-run.ts';
import type { ActiveConversation } from './active-conversation.ts';
import type { Begin, EngineRun } from './input-queue.ts';
import type { AgentBinding } from './open-thread.ts';

export interface CommandSources {
  readonly current: ActiveConversation;
  readonly begin: Begin;
  /** Calls whose undo conflicts with later edits of a person; earlier calls can still be undone. */
  readonly stuck: Set<string>;
  /** Creates a run of this conversation and enters it. */
  startRun(binding: AgentBinding, workflow: string, inputs: readonly StartInput[]): Promise<EngineRun>;
  menu(): Parameters<ActiveConversation['emit']>[0];
  /** Surface whose numbering the offered choices use; undefined if all surfaces have the same. */
  readonly choicesOf?: TargetSurface | undefined;
}

export async function dispatchCommand(
  command: CommandResolution,
  sources: CommandSources,
): Promise<EngineRun> {
  const { current } = sources;
  switch (command.kind) {
    case 'ShowMenu':
      current.emit(current.thread.binding ? sources.menu() : helpOf());
      return undefined;
    case 'ClarifyChoice':
      current.emit({
        type: 'choice.offered',
        reason: command.reason,
        candidates: [...command.candidates],
        rest: command.rest,
        surface: sources.choicesOf,
      });
      return undefined;
    case 'Refused':
      throw new CrewError(command.error.code, command.error.message);
    case 'DismissAgent':
      await dismiss(current);
      return undefined;
    case 'ResumeRun':
      return resumeRun(sources, command.runRef);
    case 'RunAction':
      if (command.actionRef.type === 'builtin') return runBuiltin(command.actionRef.name, sources);
      return runInThread(sources, await toDirectives(command, current));
    case 'StartWorkflow': {
      const binding = requireAgentBinding(current);
      const workflow = workflowOf(binding.loaded, command.workflowRef);
      rejectStatePath(command);
      return sources.startRun(binding, workflow.ref, [
        ...toConversation(current),
        ...(await toDirectives(command, current)),
      ]);
    }
    case 'ExecScript': {
      const binding = requireAgentBinding(current);
      if (command.execRef.type === 'workflowMd') {
        const workflow = workflowOf(binding.loaded, {
          type: 'packagePath',
          workflowMdPath: command.execRef.workflowMdPath,
        });
        return sources.startRun(binding, workflow.ref, [
          ...toConversation(current),
          ...(await toDirectives(command, current)),
        ]);
      }
      const mdPath = await findScript(command.execRef, current.thread.files);
      const directives = await toDirectives({ ...command, execRef: { type: 'markdown', mdPath } }, current);
      return runInThread(sources, directives, mdPath);
    }
    case 'Chat':
      throw new Error('chat is not a command');
  }
}

type TargetCommand = Extract<CommandResolution, { kind: 'StartWorkflow' | 'ExecScript' | 'RunAction' }>;

/** The inputs of a command: its data, its instruction, and the text that the person added. */
async function toDirectives(command: TargetCommand, current: ActiveConversation): Promise<StartInput[]> {
  const { files, binding } = current.thread;
  if (command.validateRef && binding)
    await checkWorkflow({ files, loaded: binding.loaded }, command.validateRef);
  const previewBytes = Math.min(current.record.tools.fs.inlineReadBytes, MAX_PREVIEW_BYTES);
  const data =
    command.dataRef &&
    (await loadData(command.dataRef, {
      files,
      previewBytes,
      maxBytes: current.record.tools.fs.maxReadBytes,
    }));
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
    ...toInstruction(command, binding),
    ...(command.rest === undefined ? [] : [{ content: command.rest }]),
  ];
}

/** What was said in the thread: a run started from it continues the same conversation. */
function toConversation({ thread }: ActiveConversation): StartInput[] {
  const block = toConversationBlock(thread.engine.memory.history.messages);
  if (!block) return [];
  const subject = { kind: 'conversation', said: block.said } as const;
  return [{ content: block.text, purpose: 'directive', subject }];
}

/** The model reads the remainder with a tool if it needs it. */
const MAX_PREVIEW_BYTES = 8_192;

function toInstruction(command: TargetCommand, binding: AgentBinding | undefined): StartInput[] {
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
  const prompt = binding?.agent.prompts?.find(({ id }) => id === actionRef.id);
  if (!prompt) throw new CrewError('UnknownPromptId', `The agent has no prompt "${actionRef.id}".`);
  const content = toActionDirective(`#${prompt.id}`, prompt.content);
  const name = `#${prompt.id}`;
  return [{ content, purpose: 'directive', label: name, subject: { kind: 'action', name } }];
}

/** Sends an action or a script to the agent, after leaving the active run or script. */
async function runInThread(
  { current, begin }: CommandSources,
  directives: readonly StartInput[],
  script?: string,
): Promise<EngineRun> {
  const inputs = directives.map(toQueuedInput);
  await current.leave();
  // One event, because a script without its instruction would never begin.
  if (script === undefined) current.emit({ type: 'errands.queued', inputs });
  else current.emit({ type: 'script.entered', path: script, inputs });
  return begin(() => current.thread.engine.continueRun());
}

/** Inside the run, `@state` is the run's own folder. */
function rejectStatePath({ dataRef }: TargetCommand): void {
  if (!dataRef?.path.startsWith('@state/')) return;
  throw new CrewError(
    'PermissionDenied',
    `A run cannot read "${dataRef.path}". Move the file to the project.`,
  );
}

function requireAgentBinding({ thread }: ActiveConversation): AgentBinding {
  if (thread.binding) return thread.binding;
  throw new CrewError('RUN_NOT_READY', 'This conversation has no agent. Choose one first.');
}

async function dismiss(current: ActiveConversation): Promise<void> {
  const { agent } = current.view.state;
  if (agent) return current.switchAgent(undefined, { type: 'agent.dismissed', agentId: agent.agentId });
  await current.leave();
}

async function runBuiltin(name: BuiltinAction, { current, stuck }: CommandSources): Promise<undefined> {
  switch (name) {
    case 'menu.show':
    case 'agent.dismiss':
    case 'run.resume':
      throw new Error(`"${name}" is a command of its own`);
    case 'run.pause':
      return void (await current.stopAsking());
    case 'run.stop':
      await current.stop();
      return void (await current.leave());
    case 'run.undo':
      return undoLast(current, stuck);
    case 'run.allow-change':
      return void (await (await current.active()).engine.allowStateChange());
    case 'model.show':
      current.emit({
        type: 'info.shown',
        topic: 'model',
        details: { model: toPublicModel(current.record.model) },
      });
      return;
    case 'context.show':
      current.emit({ type: 'info.shown', topic: 'context', details: await contextOf(current) });
      return;
    case 'help.show':
      current.emit(helpOf());
  }
}

/** Undoes the newest change of the active run or of the thread. */
async function undoLast(current: ActiveConversation, stuck: Set<string>): Promise<undefined> {
  const active = await current.active();
  // Changes of a called run are newer than those of its caller.
  const [newest] = (current.run?.openRuns() ?? [active]).flatMap(({ journal, undo }) => {
    const change = journal.list().findLast(({ undone, callId }) => !undone && !stuck.has(callId));
    return change ? [{ callId: change.callId, undo }] : [];
  });
  if (!newest) throw new CrewError('RUN_NOT_READY', 'There is nothing to undo here.');
  const files = await newest.undo({ callId: newest.callId });
  if (files.some(({ outcome }) => STUCK.has(outcome))) stuck.add(newest.callId);
}

const STUCK: ReadonlySet<string> = new Set(['conflict', 'not-recorded', 'failed']);

async function contextOf(current: ActiveConversation): Promise<Record<string, unknown>> {
  const { engine } = await current.active();
  const { requestBytes, bytesPerToken, turn, usage } = engine.memory;
  return {
    contextTokens: engine.contextTokens,
    requestTokens: Math.round(requestBytes / bytesPerToken),
    turns: turn,
    timeline: activeStory(current.view).timeline.length,
    usage: { ...usage },
  };
}

function helpOf(): Parameters<ActiveConversation['emit']>[0] {
  return { type: 'info.shown', topic: 'help', details: { commands: [...GLOBAL_COMMANDS.keys()] } };
}

/** Enough for any frontmatter. */
const HEAD_BYTES = 65_536;

/**
 * The mount path of the file of an `exec` command. Rejects a workflow, which cannot be run as a script; runnable workflows
 * were recognised when the command was resolved.
 */
async function findScript(
  { mdPath: written, otherwise = [] }: Extract<ExecRef, { type: 'markdown' }>,
  files: MountedFs,
): Promise<string> {
  const found = await findFirst([written, ...otherwise], files);
  if (!found.ok) throw new CrewError('PermissionDenied', `"${written}" is not a path on a mount.`);
  const mdPath = formatMountPath(found.path);
  const frontmatter = await readFrontmatter(await readHead(found.path, files));
  if (!frontmatter.ok || !isWorkflow(frontmatter.value)) return mdPath;
  throw new CrewError(
    'UnknownWorkflow',
    `"${mdPath}" is a workflow, and the package has no graph for it; put the graph beside it, or list both in bmad.json.`,
  );
}

async function readHead(path: MountPath, files: MountedFs): Promise<string> {
  const mdPath = formatMountPath(path);
  try {
    return await files.withFile(path, async ({ handle, bytes }) => {
      const head = Buffer.alloc(Math.min(bytes, HEAD_BYTES));
      const read = await handle.read(head, 0);
      return head.subarray(0, read).toString('utf8');
    });
  } catch (error) {
    if (error instanceof SandboxViolation)
      throw new CrewError('PermissionDenied', `The script "${mdPath}" ${error.message}.`, { cause: error });
    if (errnoOf(error) === undefined) throw error;
    throw new CrewError(
      'ValidationFailed',
      `The script "${mdPath}" cannot be read. Add it to the package or to the project.`,
      { cause: error },
    );
  }
}

function isWorkflow(fields: Readonly<Record<string, unknown>>): boolean {
  return ['schemaVersion', 'workflowType', 'currentNodeId'].every((key) => fields[key] !== undefined);
}
