/** Rejects a write in a visit whose required files were not read yet: what is written first would not depend on them. */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { createProofFiles, toShown } from '../../tools/proof/proof-files.ts';
import { findUnread } from '../../tools/proof/required-reads.ts';
import { failure } from '../../tools/tool.ts';
import { pathValuesOf } from '../../workflow/workflow-state.ts';
import type { LiveRun } from '../live-run.ts';

export async function checkWrite(run: LiveRun): Promise<ToolFailure | undefined> {
  const { at, isComplete } = await run.position();
  const proof = at?.node.proof;
  const { visit } = run.memory;
  if (isComplete || visit.nodeId !== at?.node.id || !proof?.consumes.some(({ mustRead }) => mustRead))
    return undefined;
  const files = createProofFiles(run.sources.files, run.sources.record.tools.artifactsDir);
  const unread = await findUnread({ proof, variables: pathValuesOf(at.state), visit, files });
  if (unread.length === 0) return undefined;
  const names = unread.slice(0, MAX_NAMED).map(toShown).join(', ');
  const more = unread.length > MAX_NAMED ? ` and ${unread.length - MAX_NAMED} more` : '';
  return failure(
    'E_INPUT_UNREAD',
    `Nothing was written: this step must read ${names}${more} first. Read it with fs.read, then write again.`,
    { unread: unread.slice(0, MAX_NAMED) },
  );
}

const MAX_NAMED = 10;
