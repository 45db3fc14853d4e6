/**
 * Asks at the terminal whether an action may be done: its title, warnings and diff, and a key for the decision. Nothing is allowed
 * before all of it was printed: a key that allows prints what is left, and asks again.
 */
import type { ProjectFiles } from '@crewagent/core';
import {
  type ApprovalDecision,
  type ApprovalReach,
  type ApprovalResponse,
  type FollowingDecision,
  folderOf,
} from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { isRead } from '@crewagent/protocol/tool-effects';
import { hostProcess } from '../host-process.ts';
import { hashShown, toShownName } from '../print/pending.ts';
import { printWrapped } from '../print/print-wrapped.ts';
import { wrapLine } from '../print/text/wrap.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';
import { type Approval, createSight } from './approval-sight.ts';
import { canEdit } from './can-edit.ts';
import type { Prompter } from './prompter.ts';
import type { WorkCommand } from './work-command.ts';

export interface AskDeps {
  readonly prompter: Prompter;
  /** Opens the files of the project, for an edit by the person. */
  openFiles(): Promise<ProjectFiles>;
  /** Outside a workflow: there is no step and no run to allow something for. */
  readonly isThread?: boolean;
}

type Answer = ApprovalDecision | 'longer' | 'all' | 'edit' | 'view';

const KEYS: Readonly<Record<string, Answer>> = {
  y: 'once',
  yes: 'once',
  once: 'once',
  a: 'longer',
  longer: 'longer',
  s: 'node',
  step: 'node',
  node: 'node',
  r: 'run',
  run: 'run',
  always: 'always',
  n: 'no',
  no: 'no',
  t: 'all',
  all: 'all',
  e: 'edit',
  edit: 'edit',
  v: 'view',
  view: 'view',
};

export async function askApproval(pending: Approval, deps: AskDeps): Promise<WorkCommand | undefined> {
  const { prompter } = deps;
  const { following = [], action } = pending;
  const sight = createSight(pending);
  const allowed = new Set<Answer>(['once', 'no']);
  if (!isOnceOnly(pending)) for (const answer of LONGER) allowed.add(answer);
  if (following.length > 0) allowed.add('all');
  if (canEdit(action, hostProcess().env)) allowed.add('edit');
  if (sight.unseen() > 0) allowed.add('view');

  sight.begin();
  for (;;) {
    const reply = await prompter.ask(printChoices(allowed, following.length + 1));
    if (reply === undefined) return undefined;
    const key = reply.trim().toLowerCase();
    const answer = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (answer === undefined || !allowed.has(answer)) {
      if (key !== '')
        printWrapped(style('yellow', `  ${say('approval.unknownKey', { key: sanitize(key, 20) })}`));
      continue;
    }
    if (answer === 'no') {
      printWrapped(`  ${say('approval.why')}`);
      const note = await prompter.ask(`  ${style('cyan', '›')} `);
      return note === undefined ? undefined : deny(note.trim() || undefined);
    }
    if (answer === 'edit') {
      const { editChange } = await import('./edit-change.ts');
      const edited = await editChange(action, deps);
      if (edited === 'saved') return deny(toEditNote(action.target));
      printWrapped(style('yellow', `  ${say(`edit.${edited}`)}`));
      continue;
    }
    const isSeen = sight.showRest(answer === 'all');
    allowed.delete('view');
    if (answer === 'view') continue;
    if (!isSeen) {
      printWrapped(
        style('yellow', `  ${say(answer === 'all' ? 'approval.unseenOthers' : 'approval.unseen')}`),
      );
      continue;
    }
    const response = await toResponse(answer, pending, deps);
    return response && ((work) => work.approve(response));
  }
}

const LONGER = ['longer', 'node', 'run', 'always'] as const;

function deny(note: string | undefined): WorkCommand {
  return (work) => work.approve({ decision: 'no', note });
}

/** For the model, in place of the change that it proposed. */
function toEditNote(path: string): string {
  return `The user wrote their own version of ${path} instead of this change. Read the file before you continue, and keep what the user wrote.`;
}

/** Prints the choices, as far as they do not fit on the line of the prompt, and returns the prompt. */
function printChoices(allowed: ReadonlySet<Answer>, count: number): string {
  const choices = PROMPTS.flatMap(([answer, key]) =>
    allowed.has(answer) ? [say(`approval.${key}`, key === 'all' ? { count } : {})] : [],
  );
  // Each choice stays on one line.
  const line = `  ${choices.map((choice) => choice.replaceAll(' ', '\u00a0')).join(' · ')}`;
  const lines = wrapLine(line, (hostProcess().stdout.columns || 80) - PROMPT_CELLS);
  const [last = '', ...others] = lines.map((part) => part.replaceAll('\u00a0', ' ')).reverse();
  for (const part of others.reverse()) print(part);
  return `${last} ${style('cyan', '›')} `;
}

/** For the mark, and the key. */
const PROMPT_CELLS = 5;

const PROMPTS = [
  ['once', 'once'],
  ['all', 'all'],
  ['longer', 'longer'],
  ['no', 'no'],
  ['edit', 'edit'],
  ['view', 'view'],
] as const;

/** Undefined when the person leaves. */
async function toResponse(
  answer: Exclude<Answer, 'no' | 'edit' | 'view'>,
  { action, following = [] }: Approval,
  deps: AskDeps,
): Promise<ApprovalResponse | undefined> {
  const seen = seenOf(action);
  if (answer === 'once') return { decision: 'once', ...seen };
  if (answer === 'all') {
    const decisions = following.map(
      ({ callId, action: next }): FollowingDecision => ({ callId, decision: 'once', ...seenOf(next) }),
    );
    return { decision: 'once', ...seen, following: decisions };
  }
  const decision = answer === 'longer' ? await askHowLong(deps) : answer;
  if (!decision) return undefined;
  const isOfFiles = isFileAction(action) || isRead({ kind: action.effect });
  const reach = isOfFiles ? await askReach(action.target, deps.prompter) : 'file';
  return reach && { decision, reach, ...seen };
}

/** The end of a preview that is cut cannot be seen. */
function seenOf(action: Approval['action']): Pick<ApprovalResponse, 'shown' | 'unseen'> {
  const shown = hashShown(action);
  return action.preview.isCut ? { shown, unseen: 1 } : { shown };
}

type Longer = Exclude<ApprovalDecision, 'once' | 'no'>;

async function askHowLong({ prompter, isThread }: AskDeps): Promise<Longer | undefined> {
  const choices: readonly (readonly [Longer, string, ...string[]])[] = [
    ...(isThread ? [] : ([['node', say('approval.node'), 's', 'step', 'node']] as const)),
    ['run', say(isThread ? 'approval.thread' : 'approval.run'), 'r', 'run'],
    ['always', say('approval.always'), 'a', 'always'],
  ];
  return pickOne(say('approval.howLong'), choices, prompter);
}

/** Which files the approval covers. The folder of a file in the project's own folder is the project: all files. */
async function askReach(path: string, prompter: Prompter): Promise<ApprovalReach | undefined> {
  const folder = folderOf(path);
  const choices: readonly (readonly [ApprovalReach, string, ...string[]])[] = [
    ['file', say('approval.file'), '', 'f', 'file'],
    ...(folder === '@project/'
      ? []
      : ([['folder', say('approval.folder', { folder: toShownName(folder) }), 'd', 'folder']] as const)),
    ['all', say('approval.files'), 'a', 'all'],
  ];
  return pickOne(say('approval.whichFiles'), choices, prompter);
}

/** A choice is its value, its text, and what can be typed for it beside its number. */
async function pickOne<Value>(
  title: string,
  choices: readonly (readonly [Value, string, ...string[]])[],
  prompter: Prompter,
): Promise<Value | undefined> {
  for (;;) {
    printWrapped(`  ${style('bold', title)}`);
    const options = choices.map(([, text]) => text);
    const picked = await prompter.pick({ options, hint: say('choose.one') });
    if (picked === undefined) return undefined;
    const typed = typeof picked === 'string' ? picked.trim().toLowerCase() : `${(picked[0] ?? 0) + 1}`;
    const found = choices.find(([, , ...words], index) => words.includes(typed) || typed === `${index + 1}`);
    if (found) return found[0];
  }
}
