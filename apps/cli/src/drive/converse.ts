/**
 * An interactive conversation at the terminal: prompts for lines, asks pending questions and approvals, until the person
 * leaves.
 */

import { basename } from 'node:path';
import { CrewError, type Pending, type Session, type SessionStop } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { toProblemLine } from '@crewagent/protocol/story/describe-problem';
import { activeStory } from '@crewagent/protocol/story/work-story';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import type { AskDeps } from '../ask/ask-approval.ts';
import { askPending } from '../ask/ask-person.ts';
import { complete, describeCompletion, type Mount } from '../ask/completions.ts';
import { type AskOptions, type Composer, createComposer } from '../ask/composer.ts';
import { createPrompter, type Prompter } from '../ask/prompter.ts';
import type { WorkCommand } from '../ask/work-command.ts';
import { EXIT } from '../exit-codes.ts';
import { attachedPath, isExit, isGlobalCommand } from '../global-commands.ts';
import { listFolder } from '../list-folder.ts';
import { say } from '../print/texts/say.ts';
import { sanitize, style } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import type { DrivenWork, Outcome, Responder } from './drive-work.ts';

type DrivenSession = DrivenWork<Session>;

export interface ConverseOptions extends Pick<Responder, 'takeInput'>, Pick<AskDeps, 'openFiles'> {
  /** Folder of an installed package. */
  packageFolder(hash: string): string;
}

export async function converse(drive: DrivenSession, options: ConverseOptions): Promise<Outcome> {
  const { work: session, output, watch } = drive;
  const context: ConversationContext = {
    ...drive,
    composer: createComposer(watch.signal),
    prompter: createPrompter(watch.signal),
    askOptions: toAskOptions(drive, options),
    takeInput: options.takeInput,
    openFiles: options.openFiles,
    finished: new Set(),
    attached: [],
  };
  greet(drive);
  let stop = await session.stop();
  for (;;) {
    output.pause();
    if (watch.signal.aborted) return { stop, code: EXIT.interrupted };
    try {
      const next = takeInputLine(stop, context) ?? (await ask(stop, context));
      if (next === 'leave') return { stop, code: EXIT.ok, unused: drive.attendance.remaining.length };
      if (next === 'interrupt') return { stop, code: EXIT.interrupted };
      stop = await watch.during(() => next(session));
    } catch (error) {
      // The person can correct the input here, so the conversation continues.
      if (!(error instanceof CrewError)) throw error;
      output.pause();
      output.say(style('red', `  ${sanitize(error.message)}`));
      stop = await session.stop();
    }
  }
}

interface ConversationContext extends DrivenSession, Pick<ConverseOptions, 'takeInput' | 'openFiles'> {
  readonly composer: Composer;
  readonly prompter: Prompter;
  readonly askOptions: AskOptions;
  /** Runs whose completion hint was printed. */
  readonly finished: Set<string>;
  /** Mentions of files that go with the next message. */
  readonly attached: string[];
}

type Next = WorkCommand | 'leave' | 'interrupt';

function greet({ work: session, output, attendance }: DrivenSession): void {
  if (attendance.inputs.length > 0) return;
  if (session.mode === 'agent') {
    output.showMenu();
    output.say('');
  }
  const hints = [...(session.mode === 'agent' ? [say('prompt.menu')] : []), say('prompt.help')];
  output.say(style('dim', `  ${joinSentences(...hints)}`));
  output.say('');
}

/** Prints a line from `--input` as if it had been typed. */
function takeInputLine(stop: SessionStop, context: ConversationContext): Next | undefined {
  const { work: session, output } = context;
  const { remaining } = context.attendance;
  const before = [...remaining];
  let next: Next | undefined;
  try {
    next = context.takeInput(stop);
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    // The person at the terminal answers instead.
    remaining.shift();
    output.say(style('yellow', `  ${sanitize(error.message)}`));
    return undefined;
  }
  const accepted = before.slice(0, before.length - remaining.length);
  const pending = accepted.length > 0 ? session.pending : undefined;
  if (pending) output.showPending(pending);
  for (const text of accepted) output.say(`${toPrompt(session)}${sanitize(text)}`);
  return next;
}

async function ask(stop: SessionStop, context: ConversationContext): Promise<Next> {
  const { work: session } = context;
  const pending = session.pending;
  if (pending) return askPendingOrCommand(pending, context);
  const { kind, isWaiting, isCompleted } = toStatus(stop);
  const isPaused = isWaiting && kind !== 'reply';
  if (isPaused) printReason(stop, context);
  if (isCompleted && session.mode === 'run') printCompletedHint(context);
  for (;;) {
    const composed = await context.composer.ask(toPrompt(session), context.askOptions);
    if (composed.kind === 'left') {
      const isTwice =
        composed.by === 'signal' || (composed.by === 'interrupt' && context.watch.isJustInterrupted());
      return isTwice ? 'interrupt' : 'leave';
    }
    const { text } = composed;
    if (session.mode === 'chat' && isExit(text)) return 'leave';
    const path = attachedPath(text);
    if (path !== undefined) {
      await attach(path, context);
      continue;
    }
    if (text.trim() !== '') {
      const line = [text, ...context.attached.splice(0)].join(' ');
      return (work) => work.input(line);
    }
    if (isPaused) return (work) => work.resume();
    // An empty line shows the agent's menu.
    if (session.mode === 'agent') return (work) => work.input('');
  }
}

/** Stores a file in the project, to be mentioned in the next message. */
async function attach(path: string, { output, openFiles, attached }: ConversationContext): Promise<void> {
  const { attachFiles } = await import('../ask/attach-files.ts');
  const files = await openFiles();
  try {
    for (const stored of await attachFiles(files, [path])) {
      attached.push(stored.includes(' ') ? `\`${stored}\`` : stored);
      output.say(
        style('dim', `  ${say('prompt.attached', { path: sanitize(stored.replace('@project/', '')) })}`),
      );
    }
  } finally {
    await files.close();
  }
}

function printReason({ reason }: SessionStop, { output }: ConversationContext): void {
  output.say(style('yellow', `  ${sanitize(toProblemLine(userLanguage(), reason ?? { code: '' }))}`));
  output.say(style('dim', `  ${say('prompt.continue')}`));
}

/** Printed once per completed run, which can still be discussed. */
function printCompletedHint({ work: session, output, finished }: ConversationContext): void {
  const { activeRunId, agent } = session.view.state;
  if (activeRunId === undefined || finished.has(activeRunId)) return;
  finished.add(activeRunId);
  const hint = agent ? say('prompt.stillAgent', { name: sanitize(agent.name, 80) }) : say('prompt.still');
  output.say(style('dim', `  ${hint}`));
}

/** Runtime commands also work where an answer or approval is expected. */
async function askPendingOrCommand(
  pending: Pending,
  { work: session, prompter, openFiles, watch }: ConversationContext,
): Promise<Next> {
  let command: string | undefined;
  const orCommand = <Typed>(typed: Typed): Typed | undefined => {
    if (typeof typed !== 'string' || !isGlobalCommand(typed)) return typed;
    command = typed;
    return undefined;
  };
  const next = await askPending(pending, {
    prompter: {
      ask: async (prompt) => orCommand(await prompter.ask(prompt)),
      pick: async (list) => orCommand(await prompter.pick(list)),
    },
    openFiles,
    isThread: session.mode !== 'run',
  });
  if (next) return next;
  if (command === undefined) return watch.signal.aborted ? 'interrupt' : 'leave';
  const typed = command;
  return (work) => work.input(typed);
}

/** The prompt names the recipient of the line. */
function toPrompt(session: Session): string {
  const name = nameOf(session);
  return `${name === '' ? '' : `${style('bold', sanitize(name, 40))} `}${style('cyan', '›')} `;
}

function nameOf({ mode, view }: Session): string {
  const { agent, script } = view.state;
  if (mode === 'chat') return '';
  if (mode === 'agent') return agent?.name ?? '';
  if (script) return basename(script.path);
  const active = activeStory(view);
  return toStatus(active).isCompleted ? (active.workflow?.title ?? '') : active.state.currentNodeId;
}

function toAskOptions(
  { work: session, output }: DrivenSession,
  { packageFolder }: ConverseOptions,
): AskOptions {
  const roots = (): ReadonlyMap<Mount, string> => {
    const { agent } = session.view.state;
    const project = ['@project', session.projectPath] as const;
    return new Map(agent ? [project, ['@pkg', packageFolder(agent.package.hash)]] : [project]);
  };
  return {
    complete: (before) =>
      complete(before, {
        mode: session.mode,
        menu: session.menu(),
        mounts: [...roots().keys()],
        async listFolder(mount, folder) {
          const root = roots().get(mount);
          return root === undefined ? [] : listFolder(root, folder);
        },
      }),
    describe: (completion) => describeCompletion(completion, output),
  };
}
