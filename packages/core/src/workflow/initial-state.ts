/**
 * Creates the initial state document of a run: the package's workflow.md with its body and the author's frontmatter,
 * without progress of another run, and with the identity of this run. Pure.
 */
import { textsOf } from '@crewagent/protocol/json-object';
import type { ToolError } from '@crewagent/protocol/tools';
import { editFrontmatter } from './edit-frontmatter.ts';
import type { Fields } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { readWorkflowState, type WorkflowState } from './workflow-state.ts';

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
  if (!parsed.ok) return readInitial(template);
  const head = template.slice(0, template.length - parsed.body.length);
  const edited = await editFrontmatter(head, parsed.value, toInitialFields(parsed.value, identity));
  if (edited.ok) return readInitial(edited.head + parsed.body);
  const message = 'The frontmatter of workflow.md uses YAML features that cannot be edited safely.';
  return { ok: false, error: { code: 'E_INVALID_FRONTMATTER', message } };
}

async function readInitial(text: string): Promise<InitialState> {
  const initial = await readWorkflowState(text);
  return initial.ok ? { ...initial, text } : initial;
}

function toInitialFields(
  fields: Fields,
  { inputDocuments = [], blanks = {}, variables: passed, artifacts = [], ...identity }: RunIdentity,
): Fields {
  const filled = PROGRESS.filter((key) => !isEmpty(fields[key]));
  const variables = fields.variables as Fields | null | undefined;
  // A template copied from a finished run must not start as complete.
  const reopened = variables?.workflowStatus === 'complete' ? { workflowStatus: '' } : undefined;
  return {
    ...fields,
    ...Object.fromEntries(filled.map((key) => [key, []])),
    ...identity,
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(passed || reopened ? { variables: { ...variables, ...reopened, ...passed } } : {}),
    ...(inputDocuments.length > 0
      ? { inputDocuments: [...new Set([...textsOf(fields.inputDocuments), ...inputDocuments])] }
      : {}),
    ...Object.fromEntries(
      Object.entries(blanks).filter(([key, value]) => value !== '' && isBlank(fields, key)),
    ),
  };
}

/** Whether the author wrote the key without a value. */
function isBlank(fields: Fields, key: string): boolean {
  return Object.hasOwn(fields, key) && (fields[key] === '' || fields[key] === null);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
