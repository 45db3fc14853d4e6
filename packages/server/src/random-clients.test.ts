import { ApiError } from '@crewagent/protocol/api/client';
import { activeStory } from '@crewagent/protocol/story/work-story';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ANSWERS, createServerRig, prepare } from './testing/server-rig.ts';
import { reloaded, timelineOf, watchWork } from './testing/thread-rig.ts';

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

it('[H40] clients that act concurrently see the same view as after a reload', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 6 }), { minLength: 2, maxLength: 3 }),
      async (plans) => {
        const rig = await createServerRig({ timing: { keepMs: 5, pollEveryMs: 5 } });
        const { client } = rig;
        const { works } = client;
        const { projectId, packageHash } = await prepare(rig);
        const body = { projectId, packageHash, kind: 'agent', model: 'rehearsal' } as const;
        const { workId } = await works.create({ body });
        const watcher = watchWork(client, workId);

        const act = async ([what, text]: readonly [string, string]): Promise<unknown> => {
          const runId = watcher.view.state.runIds.at(-1);
          const { pending } = activeStory(watcher.view);
          const answer = { callId: pending?.callId ?? 'none', answers: ANSWERS };
          switch (what) {
            case 'input':
              return works.input({ workId, body: { text } });
            case 'answer':
              return works.answer({ workId, body: answer });
            case 'stop':
              return works.stop({ workId });
            case 'resume':
              return works.resume({ workId, body: {} });
            case 'agent':
              return works.enterAgent({ workId, body: { packageHash } });
            case 'dismiss':
              return works.dismissAgent({ workId });
            case 'workflow':
              return works.startWorkflow({ workId, body: { packageHash } });
            case 'close':
              return client.projects.close({ projectId });
            case 'undo':
              return works.undo({ workId, body: { all: true } });
          }
          if (runId === undefined) return;
          if (what === 'answer run') return works.answer({ workId: runId, body: answer });
          if (what === 'run stop') return works.stop({ workId: runId });
          if (what === 'run resume') return works.resume({ workId: runId, body: {} });
          const { text: state, sha256 } = await works.state({ workId: runId });
          return works.editState({ workId: runId, body: { text: state, ifMatchSha256: sha256 } });
        };
        const errorCodes: string[] = [];
        await Promise.all(
          plans.map(async (plan) => {
            for (const step of plan) {
              try {
                await act(step);
              } catch (error) {
                if (!(error instanceof ApiError)) throw error;
                errorCodes.push(error.code);
                expect(error.status, error.message).toBeLessThan(500);
              }
            }
          }),
        );
        await works.stop({ workId });
        for (const runId of watcher.view.state.runIds) await works.stop({ workId: runId });
        const isSettled = async (): Promise<boolean> => {
          const { work, isOpen, ...shown } = await works.show({ workId });
          const all = [shown.view, ...Object.values(shown.runs)];
          return (
            !isOpen &&
            work.phase !== 'Running' &&
            all.every(({ phase }) => phase !== 'Running') &&
            [watcher.view.own, ...watcher.view.runs.values()].length === all.length &&
            all.every(
              ({ runId, lastSeq }) => (watcher.view.runs.get(runId) ?? watcher.view.own).lastSeq === lastSeq,
            )
          );
        };
        await expect.poll(isSettled, { timeout: 20_000 }).toBe(true);
        expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(client, workId)));
        expect(errorCodes).not.toContain('RUN_LOCKED');
        expect(rig.bugs).toEqual([]);
        watcher.stop();
        await rig.parts.close();
      },
    ),
    { numRuns: Number(process.env.CREWAGENT_THOROUGH ? 40 : 6) },
  );
}, 300_000);
