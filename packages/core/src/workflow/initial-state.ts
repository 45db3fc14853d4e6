/**
 * The state document a run begins with: the package's workflow.md with its body and everything an author wrote into the
 * frontmatter, without progress that is not this run's, and with what only the runtime knows. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { type Document, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { replaceValue, setEntry, type YamlLines } from './edit-yaml-lines.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { parseWorkflowState, type WorkflowState } from './workflow-state.ts';

type Fields = Record<string, unknown>;

export interface RunIdentity {
  readonly runId: string;
  readonly activeAgentId: string;
  readonly workflowRef: string;
  readonly currentNodeId: string;
  readonly updatedAt: string;
}

export type InitialState =
  | { readonly ok: true; readonly text: string; readonly state: WorkflowState }
  | { readonly ok: false; readonly error: ToolError };

const PROGRESS = ['stepsCompleted', 'decisionLog', 'artifacts', 'inputDocuments', 'callStack'] as const;

export function createInitialState(template: string, identity: RunIdentity): InitialState {
  const parsed = parseFrontmatter(template);
  // The other reader has the words for what is wrong.
  const text = parsed.ok ? resetText(template, parsed, toReset(parsed.value, identity)) : template;
  if (text === undefined) {
    const message = 'The frontmatter of workflow.md is written in a way that cannot be edited safely.';
    return { ok: false, error: { code: 'E_INVALID_FRONTMATTER', message } };
  }
  const initial = parseWorkflowState(text);
  return initial.ok ? { ...initial, text } : initial;
}

interface Reset {
  /** What top-level keys are to be; only those that change. */
  readonly fields: Fields;
  /** A template that was taken from a finished run must not begin a run that is complete already. */
  readonly reopens: boolean;
}

function toReset(fields: Fields, identity: RunIdentity): Reset {
  const filled = PROGRESS.filter((key) => !isEmpty(fields[key]));
  const variables = fields.variables as Fields | null | undefined;
  return {
    fields: { ...Object.fromEntries(filled.map((key) => [key, []])), ...identity },
    reopens: variables?.workflowStatus === 'complete',
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function resetText(
  template: string,
  { value, body }: { readonly value: Fields; readonly body: string },
  reset: Reset,
): string | undefined {
  const expected: Fields = { ...value, ...reset.fields };
  if (reset.reopens) expected.variables = { ...(value.variables as Fields), workflowStatus: '' };
  const head = template.slice(0, template.length - body.length);
  // As with every edit of a state document, a result is believed when it reads back as what was meant.
  for (const edit of [editLines, editDocument]) {
    const next = edit(head, reset);
    if (next !== undefined && readsAs(next + body, expected)) return next + body;
  }
  return undefined;
}

function editLines(head: string, { fields, reopens }: Reset): string | undefined {
  let lines: YamlLines | undefined = { text: head };
  for (const [key, value] of Object.entries(fields)) {
    if (lines) lines = replaceValue(lines, key, value);
  }
  if (lines && reopens) lines = setEntry(lines, 'variables', 'workflowStatus', '');
  return lines?.text;
}

/** For lists over several lines and unusual YAML; free to re-space lines. */
function editDocument(head: string, { fields, reopens }: Reset): string | undefined {
  const [, open = '', yaml = '', close = ''] = FENCED.exec(head) ?? [];
  const document = parseDocument(yaml.replaceAll('\r\n', '\n'));
  for (const [key, value] of Object.entries(fields)) {
    const node = document.get(key, true);
    if (isSeq(node)) clearList(node);
    else document.set(key, value);
  }
  if (reopens) document.setIn(['variables', 'workflowStatus'], '');
  const edited = toText(document);
  if (edited === undefined) return undefined;
  return open + (head.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited) + close;
}

const FENCED = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(---[ \t]*(?:\r?\n)?)$/;

/** The list itself stays, and so do comments at it. */
function clearList(list: YAMLSeq): void {
  list.items = [];
  list.flow = true;
}

/** Undefined when an alias lost what it stands for. */
function toText(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch {
    return undefined;
  }
}

function readsAs(text: string, expected: Fields): boolean {
  const parsed = parseFrontmatter(text);
  return parsed.ok && isSameValue(parsed.value, expected);
}
