/**
 * Creates the initial state document of a run: the package's workflow.md with its body and the author's frontmatter,
 * without progress of another run, and with the identity of this run. Pure.
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
  /** Documents given with the command; the author's own come first. */
  readonly inputDocuments?: readonly string[];
  /** What a calling workflow passes on: its variables precede the author's. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly artifacts?: readonly string[];
  /** Values for fields that the author left blank. */
  readonly blanks?: Readonly<Record<string, string>>;
}

export type InitialState =
  | { readonly ok: true; readonly text: string; readonly state: WorkflowState }
  | { readonly ok: false; readonly error: ToolError };

const PROGRESS = ['stepsCompleted', 'decisionLog', 'artifacts', 'callStack'] as const;

export async function createInitialState(template: string, identity: RunIdentity): Promise<InitialState> {
  const parsed = await readFrontmatter(template);
  // `readWorkflowState` reports what is wrong.
  const text = parsed.ok ? await resetText(template, parsed, toReset(parsed.value, identity)) : template;
  if (text === undefined) {
    const message = 'The frontmatter of workflow.md uses YAML features that cannot be edited safely.';
    return { ok: false, error: { code: 'E_INVALID_FRONTMATTER', message } };
  }
  const initial = await readWorkflowState(text);
  return initial.ok ? { ...initial, text } : initial;
}

function toReset(
  fields: Fields,
  { inputDocuments = [], blanks, variables: passed, artifacts = [], ...identity }: RunIdentity,
): Reset {
  const filled = PROGRESS.filter((key) => !isEmpty(fields[key]));
  const variables = fields.variables as Fields | null | undefined;
  const isOver = variables?.workflowStatus === 'complete';
  return {
    fields: {
      ...Object.fromEntries(filled.map((key) => [key, []])),
      ...identity,
      ...(artifacts.length > 0 ? { artifacts: [...artifacts] } : {}),
      ...(passed
        ? { variables: { ...variables, ...(isOver ? { workflowStatus: '' } : {}), ...passed } }
        : {}),
      ...(inputDocuments.length > 0
        ? { inputDocuments: [...new Set([...toTexts(fields.inputDocuments), ...inputDocuments])] }
        : {}),
      ...Object.fromEntries(
        Object.entries(blanks ?? {}).filter(([key, value]) => value !== '' && isBlank(fields, key)),
      ),
    },
    reopens: isOver && !passed,
  };
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Whether the author wrote the key without a value. */
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
  // Every edit is verified by reading it back.
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
