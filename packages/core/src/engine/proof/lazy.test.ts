import { fileURLToPath } from 'node:url';
import type { RunEvent } from '@crewagent/protocol/events';
import { toEvidence } from '@crewagent/protocol/evidence';
import { describe, expect, it } from 'vitest';
import { createRehearsal } from '../../llm/rehearsal/rehearsal.ts';
import type { ChatMessage } from '../../llm/wire.ts';
import { readRequest } from '../../testing/models/read-request.ts';
import { createScriptedModel, type ScriptedReply } from '../../testing/models/scripted-model.ts';
import { playToEnd } from '../../testing/play-to-end.ts';
import { createRunRig } from '../../testing/rigs/run-rig.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../../examples', import.meta.url));

/** Writes one byte to each file it is asked for, and moves on, whatever the step says. */
function toLazyReply(messages: readonly ChatMessage[]): ScriptedReply {
  const scene = readRequest(messages);
  if (!scene) return { content: 'Done.' };
  const { nodeId, ways, outputs } = scene;
  const writes = outputs.map((path) => ({
    name: 'fs_write',
    arguments: { path: path.replace('{storyKey}', 'x'), content: 'x' },
  }));
  const variables = { storyKey: 'x', epicNum: 1, storyNum: 1, storyTitle: 'x', sprintStatusPath: 'none' };
  const done = {
    name: 'runtime_complete_node',
    arguments: { nodeId, ...(ways[0] ? { next: ways[0].to } : {}), variables },
  };
  return { calls: [...writes, done] };
}

describe.each(['create-story-micro', 'create-story-micro-zh'])('%s', (name) => {
  const folder = `${EXAMPLES}/${name}`;

  it('[S71] is not finished by a model that does nothing', async () => {
    const model = createScriptedModel(({ messages }) => toLazyReply(messages));
    const rig = await createRunRig({ package: folder, model });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'E_OUTPUT_INCOMPLETE' },
    });
    expect(rig.engine.memory.state.currentNodeId).toBe('step-01-select-story');
  });

  it('[L131] is proved by a rehearsal, from its log alone', async () => {
    const rig = await createRunRig({ package: folder, model: createRehearsal() });
    expect(await playToEnd(rig.engine)).toEqual({ phase: 'Completed' });
    const events: RunEvent[] = [];
    await rig.store.works.readLog(
      { projectId: rig.record.projectId, workId: rig.record.workId, isRun: true },
      (event) => void events.push(event),
    );
    const sheet = toEvidence(rig.record.workId, events);
    expect(sheet).toMatchObject({ isProved: true, totals: { proved: 6, nodes: 6 } });
  });
});
