/**
 * A run's state document as a value: parsed, normalised, held against its schema. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { type WorkflowFrontmatter, workflowFrontmatterSchema } from '@crewagent/protocol/workflow';
import { readFrontmatter } from './frontmatter.ts';
import { normaliseWorkflowState } from './normalise.ts';

export type WorkflowState = WorkflowFrontmatter;

export type ParsedState =
  | { readonly ok: true; readonly state: WorkflowState }
  | { readonly ok: false; readonly error: ToolError };

export async function readWorkflowState(text: string): Promise<ParsedState> {
  const frontmatter = await readFrontmatter(text, { expandDates: true });
  if (!frontmatter.ok) {
    const { reason, line } = frontmatter;
    return refuse('E_INVALID_FRONTMATTER', `The state document cannot be read: ${reason} (line ${line}).`, {
      line,
    });
  }
  const parsed = workflowFrontmatterSchema.safeParse(normaliseWorkflowState(frontmatter.value).value);
  if (parsed.success) return { ok: true, state: parsed.data };
  const problems = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    path: path.map(String).join('.') || '(document)',
    message,
  }));
  const [first] = problems;
  return refuse(
    'E_SCHEMA_VALIDATION',
    `The state document does not fit its schema at "${first?.path}": ${first?.message}. Correct the fields listed in details.`,
    { fields: problems },
  );
}

function refuse(code: ToolError['code'], message: string, details: Record<string, unknown>): ParsedState {
  return { ok: false, error: { code, message, details } };
}
