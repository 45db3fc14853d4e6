import { expect, it } from 'vitest';
import type { CataloguePackage } from './catalogue.ts';
import { toPrompts } from './prompts.ts';

it('[O9] typed inputs of a workflow are arguments of its command; what the person gave is passed on as its type', () => {
  const inputs = [
    { name: 'topic', prompt: 'About what?', type: 'text', scope: 'project' },
    { name: 'long', prompt: 'Is it long?', type: 'confirm', scope: 'project' },
  ] as const;
  const workflow = { ref: 'workflow.md', title: 'Plan', typedInputs: inputs };
  const [prompt] = toPrompts([
    {
      name: 'plan',
      loaded: { manifest: {}, workflows: [workflow], agents: [] },
    } as unknown as CataloguePackage,
  ]);
  expect(prompt?.inputs.map(({ name }) => name)).toEqual(['topic', 'long']);
  expect(prompt?.toText({})).toContain('start_workflow with {"package":"plan"},');
  expect(prompt?.toText({ topic: 'Tea', long: 'yes', other: 'x' })).toContain(
    '{"package":"plan","inputs":{"topic":"Tea","long":true}}',
  );
});
