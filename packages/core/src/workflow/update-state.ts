/**
 * Changes of a state document, as text in which comments, key order, line endings and all other content stay unchanged. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { CallStackEntry, StateUpdate } from '@crewagent/protocol/workflow';
import { editFrontmatter } from './edit-frontmatter.ts';
import type { ListEdits } from './edit-yaml-document.ts';
import type { Fields } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { STATE_LIMITS, STATE_TOO_LONG } from './workflow-state.ts';

export type EditedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: ToolError };

/** Returns the updated document, or why it cannot be updated. */
export function updateStateText(text: string, update: StateUpdate): Promise<EditedText> {
  return editState(text, (fields) => updateFields(fields, update));
}

/** Returns the document with corrected lists, or why they cannot be edited safely. */
export function editStateLists(text: string, lists: ListEdits): Promise<EditedText> {
  const toValues = (fields: Fields): Fields => {
    const edited: Record<string, unknown> = { ...fields };
    for (const [key, items] of Object.entries(lists)) {
      const old = asList(fields[key]);
      edited[key] = items.map((item) => ('value' in item ? item.value : old[item.index]));
    }
    return edited;
  };
  return editState(text, toValues, lists);
}

/** Returns the document with this call stack, which only the runtime writes. */
export function setCallStack(text: string, callStack: readonly CallStackEntry[]): Promise<EditedText> {
  return editState(text, (fields) => ({ ...fields, callStack }));
}

/** Returns the document with the fields that `change` makes of its own. */
export async function editState(
  text: string,
  change: (fields: Fields) => Fields,
  lists?: ListEdits,
): Promise<EditedText> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return reject(parsed.kind);
  const head = text.slice(0, text.length - parsed.body.length);
  const options = { limits: STATE_LIMITS, lists };
  const edited = await editFrontmatter(head, parsed.value, change(parsed.value), options);
  return edited.ok ? { ok: true, text: edited.head + parsed.body } : reject(edited.kind);
}

const LISTS = ['stepsCompleted', 'decisionLog', 'artifacts', 'inputDocuments'] as const;
const SCALARS = ['currentNodeId', 'updatedAt'] as const;

/** The fields of a document after an update. */
export function updateFields(fields: Fields, update: StateUpdate): Fields {
  const next: Record<string, unknown> = { ...fields };
  for (const key of LISTS) {
    const added = update[key]?.append;
    if (added?.length) next[key] = [...asList(next[key]), ...added];
  }
  const variables = update.variables?.set;
  if (variables && Object.keys(variables).length > 0)
    next.variables = { ...(next.variables as Fields), ...variables };
  for (const key of SCALARS) if (update[key]) next[key] = update[key].set;
  return next;
}

function reject(kind: string): EditedText {
  return { ok: false, error: kind === 'too-long' ? STATE_TOO_LONG : NOT_EDITABLE };
}

const NOT_EDITABLE: ToolError = {
  code: 'E_INVALID_FRONTMATTER',
  message:
    'The frontmatter uses YAML features that cannot be updated in place; write it as plain keys and lists.',
};

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
