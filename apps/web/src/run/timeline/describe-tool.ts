/**
 * Describes a tool call: what was done to which target, and what can be shown of it. Arguments and results are untrusted text,
 * valid or not.
 */

import { isObject, parseObject, textOf } from '@crewagent/protocol/json-object';
import { toReadableJson } from '@crewagent/protocol/json-text';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import { failureDetails } from '@crewagent/protocol/story/describe-call';
import type { ToolItem } from '@crewagent/protocol/story/items';
import { isFileChange } from '@crewagent/protocol/tool-effects';
import { type Diff, parseDiff } from '../../ui/code/parse-diff.ts';

/** The call changed a file. */
export function isWrite({ effect, status }: ToolItem): boolean {
  return status === 'ok' && isFileChange(effect);
}

/** The diff a call made or proposed; undefined if unknown. */
export function changeOf({ effect, approval }: ToolItem): Diff | undefined {
  const asked = approval?.action.preview;
  const diff = effect.diff ?? (asked?.kind === 'diff' ? asked.text : undefined);
  return diff === undefined ? undefined : parseDiff(diff);
}

/** Why the disk rejected a call; undefined for other failures. */
export function diskIssueOf({ code, answer = '' }: ToolItem): DiskIssue | undefined {
  if (code !== 'E_DISK') return undefined;
  return DISK_ISSUES.get(textOf(failureDetails(answer).errno) ?? '') ?? 'other';
}

export type DiskIssue = 'full' | 'denied' | 'readOnly' | 'other';
const DISK_ISSUES: ReadonlyMap<string, DiskIssue> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EROFS', 'readOnly'],
]);

/** The text a call wrote or proposed. The previous content is unknown. */
export function writtenOf({ effect, arguments: text }: ToolItem): string | undefined {
  return effect.kind === 'written' ? textOf(parseAnswer(text)?.content) : undefined;
}

/** The call waits for approval. */
export function isAsking({ approval, status }: ToolItem): boolean {
  return (
    approval !== undefined && approval.decision === undefined && (status === 'running' || status === 'asked')
  );
}

/** The error, or the content of a file, else all arguments. */
export function answerOf({ answer = '', status, code = '', message = '' }: ToolItem) {
  if (status === 'failed' || status === 'refused') return { error: { code, message }, text: '' };
  const { content, files } = parseAnswer(answer) ?? {};
  const parts = Array.isArray(files) ? files.map(toFilePart) : [textOf(content)];
  const texts = parts.filter((part) => part !== undefined);
  const isShown = texts.length > 0 && texts.length === parts.length;
  return {
    error: undefined,
    text: isShown ? texts.map(withoutLineNumbers).join('\n') : toReadableJson(answer),
  };
}

/** One of several files that a call read. */
function toFilePart(file: unknown): string | undefined {
  if (!isObject(file)) return undefined;
  const text = textOf(file.content) ?? textOf(file.contentPreview);
  return text === undefined ? undefined : `${textOf(file.path) ?? ''}\n${withoutLineNumbers(text)}`;
}

const MAX_CHARS = 8_000_000;

function parseAnswer(text: string): Record<string, unknown> | undefined {
  return text.length > MAX_CHARS ? undefined : parseObject(text);
}
