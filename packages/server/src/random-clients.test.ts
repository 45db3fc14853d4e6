import { ApiError } from '@crewagent/protocol/api/client';
import { activeView } from '@crewagent/protocol/conversation-view';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createServerRig, prepare } from './testing/server-rig.ts';
import { reloaded, timelineOf, watchConversation } from './testing/talking-rig.ts';

const LINES = [
  '',
  '1',
  '2',
  'hello, how are you today',
  '/stop',
  '/pause',
  '/resume',
  '/menu',
  '/undo',
  '/dismiss',
];

const action = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LINES).map((text) => ['input', text] as const) },
  { weight: 3, arbitrary: fc.constantFrom('answer', 'answer run').map((what) => [what, ''] as const) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'stop',
        'resume',
        'agent',
        'dismiss',
        'workflow',
        'close',
        'undo',
        'run stop',
        'run resume',
        'edit',
      )
      .map((what) => [what, ''] as const),
  },
);

it('[H47] whatever several clients do at once, what they see is what a reload shows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 6 }), { minLength: 2, maxLength: 3 }),
      async (plans) => {
        const rig = await createServerRig({ timing: { keepMs: 5, lookEveryMs: 5 } });
        const { client } = rig;
        const { conversations, runs } = client;
        const { projectId, packageHash } = await prepare(rig);
        const body = { projectId, packageHash, kind: 'agent', model: 'rehearsal' } as const;
        const { conversationId } = await conversations.create({ body });
        const watcher = watchConversation(client, conversationId);

        const act = async ([what, text]: readonly [string, string]): Promise<unknown> => {
          const runId = watcher.view.state.runIds.at(-1);
          const { pending } = activeView(watcher.view);
          const answers = { projectName: 'Nova', goal: 'Ship it', existing: 'nothing' };
          const answer = { callId: pending?.callId ?? 'none', answers };
          switch (what) {
            case 'input':
              return conversations.input({ conversationId, body: { text } });
            case 'answer':
              return conversations.answer({ conversationId, body: answer });
            case 'stop':
              return conversations.stop({ conversationId });
            case 'resume':
              return conversations.resume({ conversationId, body: {} });
            case 'agent':
              return conversations.enterAgent({ conversationId, body: { packageHash } });
            case 'dismiss':
              return conversations.dismissAgent({ conversationId });
            case 'workflow':
              return conversations.startWorkflow({ conversationId, body: { packageHash } });
            case 'close':
              return client.projects.close({ projectId });
            case 'undo':
              return conversations.undo({ conversationId, body: { all: true } });
          }
          if (runId === undefined) return;
          if (what === 'answer run') return runs.answer({ runId, body: answer });
          if (what === 'run stop') return runs.stop({ runId });
          if (what === 'run resume') return runs.resume({ runId, body: {} });
          const { text: state, sha256 } = await runs.state({ runId });
          return runs.editState({ runId, body: { text: state, ifMatchSha256: sha256 } });
        };
        const refusals: string[] = [];
        await Promise.all(
          plans.map(async (plan) => {
            for (const step of plan) {
              try {
                await act(step);
              } catch (error) {
                if (!(error instanceof ApiError)) throw error;
                refusals.push(error.code);
                expect(error.status, error.message).toBeLessThan(500);
              }
            }
          }),
        );
        await conversations.stop({ conversationId });
        for (const runId of watcher.view.state.runIds) await runs.stop({ runId });
        const isSettled = async (): Promise<boolean> => {
          const { conversation, isOpen, ...shown } = await conversations.show({ conversationId });
          const all = [shown.talk, ...Object.values(shown.runs)];
          return (
            !isOpen &&
            conversation.phase !== 'Running' &&
            all.every(({ phase }) => phase !== 'Running') &&
            [watcher.view.talk, ...watcher.view.runs.values()].length === all.length &&
            all.every(
              ({ runId, lastSeq }) => (watcher.view.runs.get(runId) ?? watcher.view.talk).lastSeq === lastSeq,
            )
          );
        };
        await expect.poll(isSettled, { timeout: 20_000 }).toBe(true);
        expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(client, conversationId)));
        expect(refusals).not.toContain('RUN_LOCKED');
        expect(rig.bugs).toEqual([]);
        watcher.stop();
        await rig.parts.close();
      },
    ),
    { numRuns: Number(process.env.CREWAGENT_THOROUGH ? 40 : 6) },
  );
}, 300_000);
