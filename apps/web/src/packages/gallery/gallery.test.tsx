import type { GalleryCard } from '@crewagent/protocol/api/packages';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { navigate } from '../../navigation/router.ts';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import PackagesScreen from '../packages-screen.tsx';
import { toPoints } from './graph-sketch.tsx';

const node = (
  id: string,
  type: 'step' | 'decision',
  files: Partial<{ inputs: string[]; outputs: string[] }> = {},
) => ({
  ...{ id, type, title: id, inputs: [], outputs: [], setsVariables: [] },
  ...files,
});
const edge = (from: string, to: string) => ({ from, to, label: 'next', isDefault: true });
const graph: GalleryCard['graph'] = {
  workflow: { ref: 'w', title: 'Plan a project', nodes: 4 },
  entryNodeId: 'a',
  nodes: [
    node('a', 'step', { inputs: ['docs/prd.md'], outputs: ['artifacts/intake.md'] }),
    node('b', 'decision'),
    node('c', 'step'),
    node('d', 'step', { outputs: ['artifacts/plan.md'] }),
  ],
  edges: [edge('a', 'b'), edge('b', 'c'), edge('b', 'd'), edge('c', 'd'), edge('d', 'a')],
};
const CARDS: GalleryCard[] = [
  {
    hash: 'f'.repeat(64),
    title: 'Plan a project',
    name: 'plan-project',
    version: '1.0.0',
    description: 'Asks three questions and writes a plan.',
    agents: 2,
    workflows: 1,
    graph,
    history: { completed: 3, medianMs: 125_000, costUsd: 0.04 },
  },
  { example: 'hello', title: 'Say hello', name: 'hello', version: '1.0.0', agents: 1, workflows: 0 },
];

async function renderScreen() {
  const installed: string[] = [];
  await renderServed(
    {
      packages: {
        gallery: async () => ({ cards: CARDS }),
        list: async () => ({ packages: [] }),
        installExample: async ({ example }: { readonly example: string }) => {
          installed.push(example);
          return { package: { hash: 'abc', name: example } };
        },
      },
      projects: {
        list: async () => ({ projects: [{ projectId: 'p', exists: true, path: '/p', name: 'p' }] }),
      },
    },
    <main>
      <PackagesScreen />
    </main>,
  );
  return installed;
}

describe('the gallery', () => {
  it.each([
    ['en', 'Needsprd.md', 'Givesplan.md, intake.md', 'So far3 runs · about 2m 5s · $0.04'],
    ['zh-CN', '需要prd.md', '产出plan.md, intake.md', '以往3 次运行 · 约 2 分钟 5 秒 · $0.04'],
  ] as const)(
    '[U84] says what a package needs, gives and took, without its slug, in %s',
    async (language, ...facts) => {
      useAppearance.setState({ language });
      await renderScreen();
      const card = page.getByRole('article', { name: 'Plan a project' });
      await expect.element(card.getByRole('img')).toBeVisible();
      for (const fact of facts) await expect.element(card).toHaveTextContent(fact);
      expect(document.body.textContent).not.toContain('plan-project');
      expect(document.body.textContent).not.toContain('fffff');
      expect(await findIssues()).toEqual([]);
    },
  );

  it('[U84] starts an installed package, and an example after it was installed', async () => {
    const installed = await renderScreen();
    await page.getByRole('button', { name: 'Use Plan a project' }).click();
    await expect.poll(() => location.pathname).toBe(`/p/p/new/${'f'.repeat(64)}`);
    navigate({ name: 'packages' });
    await page.getByRole('button', { name: 'Use Say hello' }).click();
    await expect.poll(() => location.pathname).toBe('/p/p/new/abc');
    expect(installed).toEqual(['hello']);
  });

  it('draws a long chain in rows, each way to the next node short', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const edges = ids.slice(1).map((id, index) => edge(`n${index}`, id));
    const chain = { ...graph, entryNodeId: 'n0', nodes: ids.map((id) => node(id, 'step')), edges };
    const points = [...toPoints(chain).values()];
    expect(new Set(points.map(({ x }) => x)).size).toBeLessThanOrEqual(12);
    expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(40);
    for (const [index, { x, y }] of points.slice(1).entries())
      expect(Math.abs(x - (points[index]?.x ?? 0)) + Math.abs(y - (points[index]?.y ?? 0))).toBeLessThan(40);
  });

  it('draws branches below each other and leaves out ways back', () => {
    const points = toPoints(graph);
    const columns = ['a', 'b', 'c', 'd'].map((id) => points.get(id)?.x ?? -1);
    expect(columns).toEqual(columns.toSorted((one, other) => one - other));
    expect(new Set(columns).size).toBe(4);
  });
});
