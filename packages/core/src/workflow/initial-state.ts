/**
 * The state document a run begins with: the package's workflow.md with its body and everything an author wrote into the
 * frontmatter, without progress that is not this run's, and with what only the runtime knows. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { Reset } from './edit-yaml-document.ts';
import { replaceValue, setEntries, type YamlLines } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { readWorkflowState, type WorkflowState } from './workflow-state.ts';

type Fields = Record<string, unknown>;

export interface RunIdentity {
  readonly runId: string;
  readonly activeAgentId: string;
  readonly workflowRef: string;
  readonly currentNodeId: string;
  readonly updatedAt: string;
  /** What came with the command; the author's own stay before them. */
  readonly inputDocuments?: readonly string[];
  /** What is written where the author left a blank. */
  readonly blanks?: Readonly<Record<string, string>>;
}

export type InitialState =
  | { readonly ok: true; readonly text: string; readonly state: WorkflowState }
  | { readonly ok: false; readonly error: ToolError };

const PROGRESS = ['stepsCompleted', 'decisionLog', 'artifacts', 'callStack'] as const;

export async function createInitialState(template: string, identity: RunIdentity): Promise<InitialState> {
  const parsed = await readFrontmatter(template);
  // The other reader has the words for what is wrong.
  const text = parsed.ok ? await resetText(template, parsed, toReset(parsed.value, identity)) : template;
  if (text === undefined) {
    const message = 'The frontmatter of workflow.md is written in a way that cannot be edited safely.';
    return { ok: false, error: { code: 'E_INVALID_FRONTMATTER', message } };
  }
  const initial = await readWorkflowState(text);
  return initial.ok ? { ...initial, text } : initial;
}

function toReset(fields: Fields, { inputDocuments = [], blanks, ...identity }: RunIdentity): Reset {
  const filled = PROGRESS.filter((key) => !isEmpty(fields[key]));
  const variables = fields.variables as Fields | null | undefined;
  return {
    fields: {
      ...Object.fromEntries(filled.map((key) => [key, []])),
      ...identity,
      ...(inputDocuments.length > 0
        ? { inputDocuments: [...new Set([...toTexts(fields.inputDocuments), ...inputDocuments])] }
        : {}),
      ...Object.fromEntries(
        Object.entries(blanks ?? {}).filter(([key, value]) => value !== '' && isBlank(fields, key)),
      ),
    },
    reopens: variables?.workflowStatus === 'complete',
  };
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The author wrote the key and nothing behind it. */
function isBlank(fields: Fields, key: string): boolean {
  return Object.hasOwn(fields, key) && (fields[key] === '' || fields[key] === null);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

async function resetText(
  template: string,
  { value, body }: { readonly value: Fields; readonly body: string },
  reset: Reset,
): Promise<string | undefined> {
  const expected: Fields = { ...value, ...reset.fields };
  if (reset.reopens) expected.variables = { ...(value.variables as Fields), workflowStatus: '' };
  const head = template.slice(0, template.length - body.length);
  // As with every edit of a state document, a result is believed when it reads back as what was meant.
  const edited = editLines(head, reset);
  if (edited !== undefined && (await readsAs(edited + body, expected))) return edited + body;
  const { resetDocument } = await import('./edit-yaml-document.ts');
  const next = resetDocument(head, reset);
  return next !== undefined && (await readsAs(next + body, expected)) ? next + body : undefined;
}

function editLines(head: string, { fields, reopens }: Reset): string | undefined {
  let lines: YamlLines | undefined = { text: head };
  for (const [key, value] of Object.entries(fields)) {
    if (lines) lines = replaceValue(lines, key, value);
  }
  if (lines && reopens) lines = setEntries(lines, 'variables', { workflowStatus: '' });
  return lines?.text;
}

async function readsAs(text: string, expected: Fields): Promise<boolean> {
  const parsed = await readFrontmatter(text);
  return parsed.ok && isSameValue(parsed.value, expected);
}
