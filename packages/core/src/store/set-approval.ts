/** The approval preset of a Work. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { isRun } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import type { WorkAddress } from './work-address.ts';
import type { WorkStore } from './work-store.ts';

/** Sets what a Work may do without asking, from its next call on. For a conversation, also that of its active run. */
export async function setApproval(
  works: WorkStore,
  address: WorkAddress,
  approval: ApprovalPreset,
): Promise<void> {
  const record = await works.read(address);
  const runId = isRun(record) ? undefined : record.activeRunId;
  if (approval === 'read-only' && (isRun(record) || runId !== undefined))
    throw new CrewError('USAGE', 'A workflow has to write files; choose another permission.');
  const { projectId, workId } = address;
  const ofRun = (id: string) =>
    works.update<RunRecord>({ projectId, workId: id, isRun: true }, (run) => ({
      ...run,
      tools: { ...run.tools, approval },
    }));
  if (isRun(record)) {
    await ofRun(workId);
    return;
  }
  await works.update<ConversationRecord>({ projectId, workId, isRun: false }, (conversation) => ({
    ...conversation,
    tools: { ...conversation.tools, approval },
  }));
  if (runId !== undefined) await ofRun(runId);
}
