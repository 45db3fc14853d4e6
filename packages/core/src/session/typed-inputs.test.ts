import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../testing/file-tree.ts';
import { samplePackage, workflow } from '../testing/packages/sample-package.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { readInputs } from './typed-inputs.ts';

const INPUTS = `variables:
  home: results
  note: kept
typedInputs:
  - name: home
    prompt: Where do results go?
    type: path
    default: results
  - name: level
    prompt: How long have you been gardening?
    type: choice
    default: new
    scope: person
    choices:
      - { value: new, label: New to it }
      - { value: old, label: Old hand }
  - { name: user_name, prompt: Who are you?, default: Somebody, scope: person }
  - { name: size, prompt: How large?, type: choice, choices: [small, 2], default: "2" }
`;
const MUST = `typedInputs:\n  - { name: bed, prompt: Which bed? }\n`;

async function rigWith(frontmatter: string) {
  const rig = await createRuntimeRig();
  const pkg = join(rig.root, 'package');
  await writeTree(pkg, samplePackage(undefined, { 'workflow.md': workflow(frontmatter) }));
  return { ...rig, pkg };
}

describe('typed inputs of a run', () => {
  it('[A62] fill its variables: answers of the person and the project, what is known, defaults', async () => {
    const { create, runtime, pkg, project } = await rigWith(INPUTS);
    const { store } = runtime;
    const { projectId } = await store.projects.open(project, { now: () => new Date() });
    await store.settings.update({
      person: { name: 'Mira' },
      inputs: { person: { level: 'old' }, projects: { [projectId]: { home: 'docs/yard' } } },
    });
    const { engine } = await create({ package: pkg, model: { model: 'rehearsal' } });
    expect(engine.memory.state.variables).toEqual({
      home: 'docs/yard',
      level: 'old',
      user_name: 'Mira',
      size: '2',
      note: 'kept',
    });
  });

  it('[A62] without a default and an answer, a run is not created, and the names are reported', async () => {
    const { create, runtime, pkg, project } = await rigWith(MUST);
    const model = { model: 'x', baseUrl: 'http://127.0.0.1:9/v1' };
    await expect(create({ package: pkg, model })).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      details: { names: ['bed'] },
    });
    expect(await runtime.listRuns()).toEqual([]);
    const { projectId } = await runtime.store.projects.open(project, { now: () => new Date() });
    await runtime.store.settings.update({ inputs: { projects: { [projectId]: { bed: 'north' } } } });
    await create({ package: pkg, model });
    expect(await runtime.listRuns()).toHaveLength(1);
  });

  it('[A62] a rehearsal needs no answers', async () => {
    const { create, pkg } = await rigWith(MUST);
    await expect(create({ package: pkg, model: { model: 'rehearsal' } })).resolves.toBeDefined();
  });

  it('[A62] are listed with the values a run would have', async () => {
    const { runtime, pkg, project } = await rigWith(INPUTS);
    await runtime.store.settings.update({ person: { name: 'Ann' } });
    const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };
    const { inputs } = await readInputs(
      { package: pkg, projectPath: project },
      { store: runtime.store, context, now: () => new Date() },
    );
    expect(inputs.map(({ input, value, source }) => [input.name, value, source])).toEqual([
      ['home', 'results', 'default'],
      ['level', 'new', 'default'],
      ['user_name', 'Ann', 'known'],
      ['size', '2', 'default'],
    ]);
  });
});
