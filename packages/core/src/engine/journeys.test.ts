import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunEvent } from '@crewagent/protocol/events';
import { addToStory } from '@crewagent/protocol/story/fold-story';
import { createStory } from '@crewagent/protocol/story/story';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStoreLayout } from '../store/disk/layout.ts';
import { toAddress } from '../store/work-address.ts';
import { type FakeProvider, startFakeProvider } from '../testing/models/fake-provider.ts';
import {
  IDEAL_CLOSING,
  IDEAL_PACKAGE,
  IDEAL_PROJECT,
  idealReplies,
  STORY_KEY,
} from '../testing/models/ideal-trace.ts';
import { createRuntimeRig, type RuntimeRig } from '../testing/rigs/runtime-rig.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

async function runIdealTrace(rig: RuntimeRig, provider: FakeProvider) {
  const run = await rig.create({ package: IDEAL_PACKAGE, model: { model: 'm', baseUrl: provider.url } });
  const asked = await run.engine.start();
  const ended = await run.engine.answer({ storyKey: '1-2' });
  return { run, asked, ended };
}

async function startIdealProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider(idealReplies());
  onTestFinished(() => provider.close());
  return provider;
}

describe('the ideal trace of create-story-micro', () => {
  it('[L31] asks in step 1, writes six artifacts in six nodes, and changes the persona at the end', async () => {
    const provider = await startIdealProvider();
    const rig = await createRuntimeRig(IDEAL_PROJECT);
    const { run, asked, ended } = await runIdealTrace(rig, provider);
    expect(asked).toMatchObject({ phase: 'WaitingUser', reason: { code: 'question' } });
    expect(ended).toEqual({ phase: 'Completed' });
    expect(rig.bugs).toEqual([]);
    expect(provider.violations).toEqual([]);
    expect(provider.requests).toHaveLength(idealReplies().length);
    expect(new Set(provider.requests.map(({ connection }) => connection)).size).toBe(1);

    const { state } = run.engine.memory;
    expect(state.stepsCompleted).toEqual([
      'step-01-select-story',
      'step-02-discover-inputs',
      'step-03-extract-context',
      'step-04-generate-story',
      'step-05-update-sprint-status',
      'end-99',
    ]);
    expect(state.variables).toMatchObject({ storyKey: STORY_KEY, workflowStatus: 'complete' });
    expect(state.artifacts).toEqual([
      'artifacts/create-story/target.md',
      'artifacts/create-story/inputs.md',
      'artifacts/create-story/context.md',
      `artifacts/stories/${STORY_KEY}.md`,
      'artifacts/create-story/sprint-status-update.md',
      'artifacts/create-story/summary.md',
    ]);
    const document = await readFile(
      createStoreLayout(rig.runtime.store.root).work(toAddress(run.record)).stateDocument,
      'utf8',
    );
    for (const path of state.artifacts) {
      expect(document).toContain(`- ${path}`);
      await expect(readFile(join(rig.project, path), 'utf8')).resolves.toMatch(/^# /);
    }

    const personas = provider.requests.map(
      ({ body }) => /You are (\w+),/.exec(String(body.messages[0]?.content))?.[1],
    );
    const fromEnd = personas.indexOf('Sam');
    expect(new Set(personas.slice(0, fromEnd))).toEqual(new Set(['Bob']));
    expect(new Set(personas.slice(fromEnd))).toEqual(new Set(['Sam']));
    expect(personas.length - fromEnd).toBe(4);

    const refused = run.events.filter((event) => event.type === 'tool.ended' && event.outcome === 'refused');
    expect(refused).toMatchObject([{ name: 'fs.write', code: 'E_SANDBOX_VIOLATION' }]);
    const template = join(examples, 'create-story-micro/assets/story-template.md');
    const installed = join(
      rig.runtime.store.packages.folder(run.record.packageHash),
      'assets/story-template.md',
    );
    expect(await readFile(installed, 'utf8')).toBe(await readFile(template, 'utf8'));
  });

  it('[U15] the live view and the view after a reload are the same', async () => {
    const provider = await startIdealProvider();
    const rig = await createRuntimeRig(IDEAL_PROJECT);
    const { run } = await runIdealTrace(rig, provider);
    const live = createStory(run.record.workId);
    const whole: RunEvent[] = [];
    await rig.runtime.store.works.readLog(toAddress(run.record), (event) => whole.push(event));
    addToStory(live, whole[0] as RunEvent);
    for (const event of run.events) addToStory(live, event);
    const { view, log } = await rig.showRun();
    expect(log.isIntact).toBe(true);
    expect(view.own).toEqual(live);
    expect(view.own.timeline.at(-2)).toMatchObject({ kind: 'reply', text: IDEAL_CLOSING });
    expect(view.own.phase).toBe('Completed');
  });

  it('[P12] sends less than half of the whole history, and at most 800 kB', async () => {
    const sent: Record<string, number> = {};
    for (const scope of ['node', 'run'] as const) {
      const provider = await startIdealProvider();
      const rig = await createRuntimeRig(IDEAL_PROJECT);
      await rig.runtime.store.settings.update({ context: { scope } });
      const { ended } = await runIdealTrace(rig, provider);
      expect(ended).toEqual({ phase: 'Completed' });
      expect(provider.violations).toEqual([]);
      sent[scope] = provider.requests.reduce((sum, { rawBody }) => sum + rawBody.length, 0);
    }
    expect((sent.node ?? 0) / (sent.run ?? 0)).toBeLessThan(1 / 2);
    expect(sent.node).toBeLessThanOrEqual(800_000);
  });

  it('[N5] [L42] the key is sent to the provider only; neither it nor a path of the machine is in a request body or the log', async () => {
    const provider = await startIdealProvider();
    const rig = await createRuntimeRig(IDEAL_PROJECT);
    const { run } = await runIdealTrace(rig, provider);
    expect(provider.requests[0]?.headers.authorization).toBe('Bearer sk-test-secret-key');
    const paths = createStoreLayout(rig.runtime.store.root).work(toAddress(run.record));
    const stored = [
      await readFile(paths.log, 'utf8'),
      await readFile(paths.record, 'utf8'),
      ...provider.requests.map(({ rawBody }) => rawBody.toString()),
    ].join('\n');
    expect(stored).not.toContain('sk-test');
    expect(stored).not.toContain(rig.root);
  });
});

describe('rehearsals of the other examples', () => {
  it.each([
    [
      'hello-branch',
      undefined,
      undefined,
      ['step-01-intake', 'decide-02-project-type', 'step-03b-brownfield', 'end-99'],
    ],
    [
      'hello-branch',
      undefined,
      'greenfield',
      ['step-01-intake', 'decide-02-project-type', 'step-03a-greenfield', 'end-99'],
    ],
    ['multi-workflows', 'hello-linear', undefined, ['step-01-ask', 'step-02-generate', 'end-99']],
    [
      'multi-workflows',
      'decision-record',
      undefined,
      ['step-01-frame', 'step-02-compare', 'step-03-draft', 'step-04-review', 'decide-05-verdict', 'end-99'],
    ],
  ])('[L31] %s %s %s', async (name, workflow, branch, steps) => {
    const { createRehearsal } = await import('../rehearse/models/rehearsal.ts');
    const { createRunRig } = await import('../testing/rigs/run-rig.ts');
    const model = createRehearsal(branch === undefined ? {} : { choose: () => branch });
    const rig = await createRunRig({
      package: join(examples, name),
      model,
      ...(workflow === undefined ? {} : { workflow }),
    });
    let stop = await rig.engine.start();
    expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code: 'question' } });
    const pending = rig.engine.memory.pending;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    stop = await rig.engine.answer(Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`])));
    expect(stop).toEqual({ phase: 'Completed' });
    expect(rig.engine.memory.state.stepsCompleted).toEqual(steps);
    expect(rig.eventsOf('warning')).toEqual([]);
    expect(rig.eventsOf('transition.refused')).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });
});
