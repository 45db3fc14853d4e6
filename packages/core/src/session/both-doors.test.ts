import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { activeStory } from '@crewagent/protocol/story/work-story';
import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { createRehearsal } from '../rehearse/models/rehearsal.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';
import { createSessionRig, type SessionRig } from '../testing/rigs/session-rig.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

const DOORS = [
  { name: 'create-story-micro', agent: 'sm', typed: ['create-story', '1', 'write the next story'] },
  { name: 'hello-branch', agent: 'analyst', typed: ['start', '1', '*start'] },
  { name: 'multi-workflows', workflow: 'hello-linear', agent: 'analyst', typed: ['hello', '1', '*hello'] },
  {
    name: 'multi-workflows',
    workflow: 'decision-record',
    agent: 'architect',
    typed: ['decide', '1', 'DECIDE'],
  },
];

describe('starting a workflow directly and from a menu', () => {
  for (const { name, workflow, agent, typed } of DOORS) {
    it(`[V32] ${name} ${workflow ?? ''} ends in the same state either way`, async () => {
      const byWorkflow = await throughWorkflow(join(examples, name), workflow, agent);
      for (const input of typed) {
        const rig = await createSessionRig({
          package: join(examples, name),
          agent,
          model: createRehearsal(),
        });
        await throughAgent(rig, input);
        expect(withoutOwn(await rig.stateText()), input).toEqual(withoutOwn(byWorkflow.state));
        expect(await artifactsOf(rig.project, byWorkflow.artifacts)).toEqual(byWorkflow.texts);
      }
    });
  }

  it('the run stops only for questions of the workflow, and the state document explains each stop', async () => {
    const rig = await createSessionRig({
      package: join(examples, 'create-story-micro'),
      agent: 'sm',
      model: createRehearsal(),
    });
    await throughAgent(rig, 'create-story');
    const stops = rig.eventsOf('phase.changed').filter(({ phase }) => phase !== 'Running');
    expect(stops.map(({ phase, reason }) => reason?.code ?? phase)).toEqual(['question', 'Completed']);
    const run = activeStory(rig.session.view);
    const replies = rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'reply');
    const textOnly = replies.filter(({ toolCalls }) => !toolCalls);
    expect(textOnly).toHaveLength(1);
    expect(run.state.stepsCompleted.at(-1)).toBe('end-99');
  });
});

async function throughWorkflow(pkg: string, workflow: string | undefined, agent: string) {
  const run = await createRunRig({
    package: pkg,
    agent,
    model: createRehearsal(),
    ...(workflow === undefined ? {} : { workflow }),
  });
  let stop = await run.engine.start();
  while (stop.reason?.code === 'question') {
    const { pending } = run.engine.memory;
    stop = await run.engine.answer(answersTo(pending?.kind === 'question' ? pending.questions : []));
  }
  expect(stop.phase).toBe('Completed');
  const { artifacts } = run.engine.memory.state;
  return { state: await run.stateText(), artifacts, texts: await artifactsOf(run.project, artifacts) };
}

async function throughAgent(rig: SessionRig, input: string): Promise<void> {
  let stop = await rig.session.input(input);
  while (stop.reason?.code === 'question') {
    const { pending } = activeStory(rig.session.view);
    stop = await rig.session.answer(answersTo(pending?.kind === 'question' ? pending.questions : []));
  }
  expect(stop).toEqual({ mode: 'run', phase: 'Completed' });
}

function answersTo(questions: readonly Question[]): Record<string, string> {
  return Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`]));
}

async function artifactsOf(project: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => readFile(join(project, path), 'utf8')));
}

/** Without ids and times, and without the inputs that only a menu adds. */
function withoutOwn(state: string): string {
  return state
    .replace(/^(runId|updatedAt): .*$/gm, '$1: …')
    .replace(/"?decidedAt"?: .*$/gm, 'decidedAt: …')
    .replace(/^inputDocuments:.*\n(?:\s+- .*\n)*/m, '');
}
