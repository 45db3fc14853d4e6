import type { ShownProject } from '@crewagent/protocol/api/projects';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { renderServed } from '../testing/served.tsx';
import { AllowedForGood } from './data-section.tsx';

it('standing approvals are listed with the mount of their file and without invisible characters', async () => {
  const paths = ['@project/docs/a.md', '@pkg/docs/a.md', '@project/b\u202e.md'];
  const approvals = paths.map((path) => ({ tool: 'fs.write', path }));
  await renderServed(
    {},
    <AllowedForGood project={{ projectId: 'p', approvals } as unknown as ShownProject} />,
  );
  const shown = page.getByRole('listitem').elements();
  const names = shown.map((item) => item.querySelector('span')?.textContent);
  expect(names.slice(0, 2)).toEqual(['docs/a.md', '@pkg/docs/a.md']);
  expect(names[2]).not.toContain('\u202e');
});
