/**
 * Makes equal parts of records one object: of ten thousand Works most have the same model, tools, limits and package, and a list keeps
 * the records of all of them.
 */
import type { WorkRecord } from '@crewagent/protocol/work';

/** Parts that many Works have in common. Ids of Works, times and titles are their own. */
const SHARED = [
  'projectId',
  'model',
  'tools',
  'limits',
  'context',
  'packageHash',
  'packageName',
  'packageVersion',
  'workflowRef',
  'workflowTitle',
  'activeAgentId',
  'phase',
  'reason',
] as const satisfies readonly (keyof WorkRecord)[];

/** Above it the known parts are forgotten: reasons may contain messages that no other Work has. */
const MAX_KNOWN = 2_000;

export function createShareParts() {
  const known = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, value);
    return value;
  };
  /** An equal record. */
  return (record: WorkRecord): WorkRecord => {
    const copy = { ...record };
    for (const key of SHARED) if (copy[key] !== undefined) Object.assign(copy, { [key]: share(copy[key]) });
    return copy;
  };
}
