/**
 * Reads a run's state document: parsed, normalised and validated. Pure.
 */
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import type { ToolError } from '@crewagent/protocol/tools';
import { type WorkflowFrontmatter, workflowFrontmatterSchema } from '@crewagent/protocol/workflow';
import { readFrontmatter } from './frontmatter.ts';
import { normaliseWorkflowState } from './normalise.ts';
import type { FrontmatterLimits } from './split-frontmatter.ts';

export type WorkflowState = WorkflowFrontmatter;

export type ParsedState =
  | { readonly ok: true; readonly state: WorkflowState }
  | { readonly ok: false; readonly error: ToolError };

/** Limit for the whole document, and for frontmatter in plain YAML. */
export const MAX_STATE_CHARS = 1_048_576;

/** Allows thousands of artifacts; the full parser stays within about a second. */
export const STATE_LIMITS: FrontmatterLimits = { maxChars: MAX_STATE_CHARS, maxFullChars: 262_144 };

export async function readWorkflowState(text: string): Promise<ParsedState> {
  const frontmatter = await readFrontmatter(text, { expandDates: true, limits: STATE_LIMITS });
  if (!frontmatter.ok) {
    const { kind, reason, line } = frontmatter;
    if (kind === 'too-long') return { ok: false, error: STATE_TOO_LONG };
    return refuse('E_INVALID_FRONTMATTER', `The state document cannot be read: ${reason} (line ${line}).`, {
      line,
    });
  }
  // The schema would drop the key silently.
  const reserved = findReservedKey(frontmatter.value);
  if (reserved) return refuseFields([{ path: reserved, message: `a key cannot be named "${RESERVED_KEY}"` }]);
  const parsed = workflowFrontmatterSchema.safeParse(normaliseWorkflowState(frontmatter.value).value);
  if (parsed.success) return { ok: true, state: parsed.data };
  return refuseFields(parsed.error.issues);
}

/** Values for braces in paths: the variables, and below them the format's own fields, which real paths use too. */
export function pathValuesOf({ variables, project_name, user_name, date }: WorkflowState): Variables {
  return {
    ...(project_name ? { project_name } : {}),
    ...(user_name ? { user_name } : {}),
    // A day is part of a file name, a time is not.
    ...(date ? { date: date.slice(0, DAY_LENGTH) } : {}),
    ...variables,
  };
}

type Variables = WorkflowState['variables'];

const DAY_LENGTH = '2026-01-31'.length;

function refuseFields(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): ParsedState {
  const problems = issues.slice(0, 20).map(({ path, message }) => ({
    path: path.map(String).join('.') || '(document)',
    message,
  }));
  const [first] = problems;
  return refuse(
    'E_SCHEMA_VALIDATION',
    `The state document is invalid at "${first?.path}": ${first?.message}. Correct the fields listed in details.`,
    { fields: problems },
  );
}

export const STATE_TOO_LONG: ToolError = {
  code: 'E_WRITE_LIMIT',
  message: `The state document would become too long (limit: ${MAX_STATE_CHARS} characters, a quarter of that if its frontmatter is not plain YAML). Put long texts into project files, and only their paths into the state.`,
};

function refuse(code: ToolError['code'], message: string, details: Record<string, unknown>): ParsedState {
  return { ok: false, error: { code, message, details } };
}
