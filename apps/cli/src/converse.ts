/**
 * A conversation at the terminal: a prompt that says whom one talks to, questions and approvals where they come up, until
 * the person leaves.
 */

import { basename } from 'node:path';
import { CrewError, type Session, type SessionStop } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { activeView } from '@crewagent/protocol/work-view';
import { askPending, type RunCommand } from './ask-person.ts';
import { complete, describeCompletion, type Mount } from './completions.ts';
import { type AskOptions, type Composer, createComposer } from './composer.ts';
import {
  type DrivenSession,
  type DriveOptions,
  type Outcome,
  pendingOf,
  takeLine,
  toAddressee,
} from './driven-session.ts';
import { EXIT } from './exit-codes.ts';
import { isExit, isGlobalCommand } from './global-commands.ts';
import { listFolder } from './list-folder.ts';
import type { Pending } from './pending.ts';
import { createPrompter, type Prompter } from './prompter.ts';
import { sanitize, style } from './terminal.ts';

export async function talk(drive: DrivenSession, options: DriveOptions): Promise<Outcome> {
  const { session, output, watch } = drive;
  const context: ConversationContext = {
    ...drive,
    composer: createComposer(watch.signal),
    prompter: createPrompter(watch.signal),
    askOptions: toAskOptions(drive, options),
    finished: new Set(),
  };
  greet(drive, options);
  let stop = await session.stop();
  for (;;) {
    output.pause();
    if (watch.signal.aborted) return { stop, code: EXIT.interrupted };
    try {
      const next = takeGiven(stop, context) ?? (await ask(stop, context));
      if (next === 'leave') return { stop, code: EXIT.ok, unused: drive.left.length };
      if (next === 'interrupt') return { stop, code: EXIT.interrupted };
      stop = await watch.during(() => next(toAddressee(session)));
    } catch (error) {
      // Whatever a person can mend, they can mend here.
      if (!(error instanceof CrewError)) throw error;
      output.pause();
      output.say(style('red', `  ${sanitize(error.message)}`));
      stop = await session.stop();
    }
  }
}

interface ConversationContext extends DrivenSession {
  readonly composer: Composer;
  readonly prompter: Prompter;
  readonly askOptions: AskOptions;
  /** Runs whose end was told. */
  readonly finished: Set<string>;
}

type Next = RunCommand | 'leave' | 'interrupt';

function greet({ session, output }: DrivenSession, { inputs }: DriveOptions): void {
  if (inputs.length > 0) return;
  if (session.mode === 'agent') {
    output.showMenu();
    output.say('');
  }
  const menu = session.mode === 'agent' ? 'A number or a name chooses from the menu. ' : '';
  output.say(style('dim', `  ${menu}/help lists commands, Ctrl-D leaves.`));
  output.say('');
}

/** A line that was given beforehand is shown as if it had been typed. */
function takeGiven(stop: SessionStop, context: ConversationContext): Next | undefined {
  const { session, output, left } = context;
  const before = [...left];
  let next: Next | undefined;
  try {
    next = takeLine(stop, context);
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    // Whoever sits here answers instead.
    left.shift();
    output.say(style('yellow', `  ${sanitize(error.message)}`));
    return undefined;
  }
  const taken = before.slice(0, before.length - left.length);
  const pending = taken.length > 0 ? pendingOf(session) : undefined;
  if (pending) output.showPending(pending);
  for (const text of taken) output.say(`${toPrompt(session)}${sanitize(text)}`);
  return next;
}

async function ask(stop: SessionStop, context: ConversationContext): Promise<Next> {
  const { session } = context;
  const pending = pendingOf(session);
  if (pending) return askWhatIsWaitedFor(pending, context);
  const { kind } = toStatus(stop);
  const isPaused = stop.phase === 'WaitingUser' && kind !== 'reply';
  if (isPaused) sayWhy(stop, context);
  if (kind === 'completed' && session.mode === 'run') sayWhatElse(context);
  for (;;) {
    const composed = await context.composer.ask(toPrompt(session), context.askOptions);
    if (composed.kind === 'left') {
      const isTwice =
        composed.by === 'signal' || (composed.by === 'interrupt' && context.watch.isJustInterrupted());
      return isTwice ? 'interrupt' : 'leave';
    }
    const { text } = composed;
    if (session.mode === 'chat' && isExit(text)) return 'leave';
    if (text.trim() !== '') return (to) => to.say(text);
    if (isPaused) return (to) => to.resume();
    // An agent answers nothing with its menu.
    if (session.mode === 'agent') return (to) => to.say('');
  }
}

function sayWhy({ reason }: SessionStop, { output }: ConversationContext): void {
  output.say(style('yellow', `  ${sanitize(reason?.message ?? '')}`));
  output.say(style('dim', '  Enter goes on; words are told to the model.'));
}

/** Once for each run that is complete: it can still be talked about. */
function sayWhatElse({ session, output, finished }: ConversationContext): void {
  const { activeRunId, agent } = session.view.state;
  if (activeRunId === undefined || finished.has(activeRunId)) return;
  finished.add(activeRunId);
  const ways = agent ? `/menu shows what else there is, /stop goes back to ${agent.name}` : '/stop leaves it';
  output.say(style('dim', `  What you say now is about this workflow; ${sanitize(ways, 120)}.`));
}

/** A command of the runtime is one wherever it is typed. */
async function askWhatIsWaitedFor(pending: Pending, { prompter, watch }: ConversationContext): Promise<Next> {
  let command: string | undefined;
  const next = await askPending(pending, {
    async ask(prompt) {
      const text = await prompter.ask(prompt);
      if (text === undefined || !isGlobalCommand(text)) return text;
      command = text;
      return undefined;
    },
  });
  if (next) return next;
  if (command === undefined) return watch.signal.aborted ? 'interrupt' : 'leave';
  const typed = command;
  return (to) => to.say(typed);
}

/** Whom it is for. */
function toPrompt(session: Session): string {
  const name = nameOf(session);
  return `${name === '' ? '' : `${style('bold', sanitize(name, 40))} `}${style('cyan', '›')} `;
}

function nameOf({ mode, view }: Session): string {
  const { agent, script } = view.state;
  if (mode === 'chat') return '';
  if (mode === 'agent') return agent?.name ?? '';
  if (script) return basename(script.path);
  const { state, phase, workflow } = activeView(view);
  return phase === 'Completed' ? (workflow?.title ?? '') : state.currentNodeId;
}

function toAskOptions({ session, output }: DrivenSession, { packageFolder }: DriveOptions): AskOptions {
  const { style: styler, width } = output;
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
    describe: (completion) => describeCompletion(completion, { style: styler, width }),
  };
}
