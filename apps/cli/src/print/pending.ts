/**
 * Formats pending input of a run: questions with their options, approvals with the exact diff, and the commands that
 * answer them.
 */

import { type Pending, type SessionStop, sha256Of } from '@crewagent/core';
import type { ErrorCode } from '@crewagent/protocol/errors';
import { toReadableJson } from '@crewagent/protocol/json-text';
import { toStatus } from '@crewagent/protocol/status';
import {
  type ActionSentence,
  type AskedAction,
  describeChanges,
  describeWarnings,
} from '@crewagent/protocol/story/describe-action';
import { toShortPath } from '@crewagent/protocol/story/describe-item';
import { translate } from '@crewagent/protocol/story/translate';
import type { DescribedAction, Question } from '@crewagent/protocol/tools';
import { toVisibleText } from '@crewagent/protocol/visible-text';
import { type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { shellQuote, shortId } from './describe-work.ts';
import { say } from './texts/say.ts';

/** The phase a run or conversation stopped in. */
export type StopState = Pick<SessionStop, 'phase' | 'reason'>;

export function describePending(pending: Pending, style: Styler): string[] {
  return pending.kind === 'approval'
    ? describeApproval(pending, style)
    : pending.questions.flatMap((question) => describeQuestion(question, style));
}

/** For an answer from elsewhere: with the id that `--set` takes, and the options. */
export function describeQuestion(question: Question, style: Styler): string[] {
  const { id, type, options = [] } = question;
  const lines = describePrompt(question, style, `${sanitize(id, 80)}, ${KINDS[type]}`);
  return [...lines, ...options.map((option, index) => `    ${index + 1}. ${sanitize(option, 300)}`)];
}

/** For a person at the terminal, who gets the options as a list. `note`: after the first line of the prompt. */
export function describePrompt(question: Question, style: Styler, note?: string): string[] {
  const { prompt, body, type, schema, source } = question;
  const [first = '', ...others] = source
    ? [`The MCP server "${sanitize(source.server, 80)}" asks:`, ...toQuoted(source, style)]
    : sanitizeLines(prompt.trim());
  const draft = body === undefined ? [] : [...sanitizeLines(body.trim()), ''];
  const shown = note ?? (type === 'form' ? KINDS.form : undefined);
  return [
    ...draft.map((line) => `${style('dim', '│')} ${line}`.trimEnd()),
    `${style('cyan', '?')} ${style('bold', first)}${shown === undefined ? '' : ` ${style('dim', `(${shown})`)}`}`,
    ...others.map((line) => `  ${line}`),
    ...(schema ? [style('dim', `    ${sanitize(JSON.stringify(schema), 2_000)}`)] : []),
  ];
}

/** Words of a server stand in a frame, so that no line of them reads like one of ours. */
function toQuoted({ message, label }: NonNullable<Question['source']>, style: Styler): string[] {
  const words = message === label ? [message] : [message, label];
  return words.flatMap((text) => sanitizeLines(text.trim())).map((line) => `${style('yellow', '│')} ${line}`);
}

const KINDS: Readonly<Record<Question['type'], string>> = {
  text: 'text',
  choice: 'one of these',
  multi: 'any of these',
  confirm: 'yes or no',
  form: 'a JSON object',
};

/** All of it: for somebody who decides elsewhere, or with a single key. */
export function describeApproval(asked: AskedAction, style: Styler): string[] {
  return [
    ...describeAsked(asked, style),
    ...describePreview(asked.action.preview, style).map((line) => `  ${line}`),
  ];
}

/** For a person at the terminal: what is asked, in the page's words. */
export function describeWish({ action, runsLater }: AskedAction, style: Styler): string[] {
  const { target, preview, isNew } = action;
  if (preview.kind !== 'diff' || (action.files?.length ?? 1) > 1)
    return describeAsked({ action, runsLater }, style);
  const path = toShownName(target);
  const title = say(isNew ? 'approval.wantsNew' : 'approval.wants', { path });
  return describeAsked({ action: { ...action, title }, runsLater }, style);
}

/** What is asked, what changed since it was asked first, and warnings. */
export function describeAsked({ action, runsLater }: AskedAction, style: Styler): string[] {
  const language = userLanguage();
  const say = ({ key, params, path }: ActionSentence): string =>
    sanitize(`${path === undefined ? '' : `${path}: `}${translate(language, key, params)}`);
  const changes = describeChanges(action).map(say).join(' ');
  const changed = `! ${translate(language, 'asked.changed.title')}: ${changes}`;
  return [
    `${style('cyan', '?')} ${style('bold', sanitize(action.title))}`,
    ...(changes === '' ? [] : [`  ${style('yellow', changed)}`]),
    ...describeWarnings({ action, runsLater }).map((warning) => `  ${style('red', `! ${say(warning)}`)}`),
  ];
}

/** The name of a file for somebody who decides on it: every character is visible. */
export function toShownName(path: string): string {
  return toVisibleText(toShortPath(path)).replaceAll('\n', '⟨A⟩');
}

/** SHA-256 of the preview that is printed: the approval is for this text. */
export function hashShown({ preview }: DescribedAction): string {
  return sha256Of(preview.text);
}

/** For an approval of a preview that nobody looked at. */
export function unseenOf(action: DescribedAction): { readonly shown: string; readonly unseen: number } {
  const lines = action.preview.text.replace(/\n$/, '').split('\n').length;
  return { shown: hashShown(action), unseen: lines };
}

/** The preview of a single file, without the lines that only repeat its name. */
export function describeChange({ preview, files = [] }: DescribedAction, style: Styler): string[] {
  if (preview.kind !== 'diff' || files.length > 1) return describePreview(preview, style);
  const [head = '', ...hunks] = preview.text.split(/^(?=@@ )/m);
  if (hunks.length === 0) return describePreview(preview, style);
  return describePreview({ ...preview, text: [head.replace(HEAD_LINES, ''), ...hunks].join('') }, style);
}

const HEAD_LINES = /^(?:Index: .*|=+|--- .*|\+\+\+ .*)\n/gm;

function describePreview({ kind, text }: DescribedAction['preview'], style: Styler): string[] {
  const shown = kind === 'json' ? toReadableJson(text) : text;
  const lines = shown.replace(/\n$/, '').split('\n').map(toVisibleText);
  return kind === 'diff' ? lines.map((line) => paint(line, style)) : lines;
}

function paint(line: string, style: Styler): string {
  if (/^(?:\+\+\+|---)/.test(line)) return style('bold', line);
  if (line.startsWith('+')) return style('green', line);
  if (line.startsWith('-')) return style('red', line);
  return line.startsWith('@@') ? style('cyan', line) : line;
}

/** The commands that continue a stopped run, the most likely first. */
export function nextCommands(runId: string, stop: StopState, pending: Pending | undefined): string[] {
  const run = shortId(runId);
  const { kind, isWaiting, isHistoryRejected } = toStatus(stop);
  if (!isWaiting) return [];
  if (pending?.kind === 'approval') {
    return [
      `crewagent approve ${run} --shown ${hashShown(pending.action)}  (or with --node, --run, --always)`,
      `crewagent approve ${run} --no --note "…"  (deny, and say why)`,
    ];
  }
  if (pending?.kind === 'question') {
    const { questions } = pending;
    const sets = questions.map(({ id }) => `--set ${shellQuote(`${sanitize(id, 80)}=…`)}`).join(' ');
    return [questions.length === 1 ? `crewagent answer ${run} "…"` : `crewagent answer ${run} ${sets}`];
  }
  // A run that was stopped before its first turn has no reason to wait for.
  if (kind === 'reply' && stop.reason)
    return [
      `crewagent answer ${run} "…"`,
      `crewagent resume ${run}  (to let the model continue without an answer)`,
    ];
  if (stop.reason && WAIVABLE.has(stop.reason.code))
    return [
      `crewagent answer ${run} "…"`,
      `crewagent waive ${run} --all --reason "…"  (to continue without it)`,
      `crewagent resume ${run}  (to let the model try again)`,
    ];
  const isInCall = stop.reason?.details?.path !== undefined;
  const again = isInCall ? 'the workflow that was called' : 'this step';
  return [
    ...(isHistoryRejected ? [`crewagent rewind ${run}  (to start ${again} again)`] : []),
    `crewagent resume ${run}`,
    ...(kind === 'limit' ? [`crewagent answer ${run} "…"  (to say how to continue)`] : []),
    ...(isInCall ? [`crewagent skip ${run}  (to continue without the workflow that was called)`] : []),
  ];
}

/** Whether a message continues the Work. */
export function waitsForWords(stop: StopState): boolean {
  return toStatus(stop).kind === 'reply' || WORDS_NEEDED.has(stop.reason?.code);
}

const WORDS_NEEDED: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'E_PERSON_NOT_HEARD',
  'CONSUMED_FILE_MISSING',
]);

const WAIVABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'E_OUTPUT_INCOMPLETE',
  'E_PERSON_NOT_HEARD',
  'CONSUMED_FILE_MISSING',
]);
