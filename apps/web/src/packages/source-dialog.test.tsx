import type { ImportRehearsal, ShownImport } from '@crewagent/protocol/api/imports';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { SourceDialog } from './source-dialog.tsx';

const none = { exact: 0, inferred: 0, dropped: 0 };
const staged = {
  importId: 'i',
  report: {
    package: { name: 'birds', workflows: 2, agents: 0, files: 3 },
    source: { name: 'birds', eras: [] },
    totals: { edges: none, constructs: none },
    attention: [],
    capabilities: [],
    findings: [],
    inputs: [],
    workflows: [],
  },
  inspected: { report: { ok: true, path: 'birds', errors: [], warnings: [] } },
} as unknown as ShownImport;

async function renderDialog() {
  let steps: { readonly covered: number; readonly total: number } | undefined;
  let finish = (_: ImportRehearsal): void => undefined;
  const stopped: string[] = [];
  const rehearse = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<ImportRehearsal>((resolve, reject) => {
      finish = resolve;
      signal.addEventListener('abort', () => {
        stopped.push('rehearsal');
        reject(new DOMException('Aborted', 'AbortError'));
      });
    });
  await renderServed(
    {
      imports: { rehearse, progress: async () => ({ steps }), discard: async () => undefined },
      packages: { list: async () => ({ packages: [], damaged: [] }) },
    },
    <SourceDialog staged={staged} onClose={() => undefined} onInstalled={() => undefined} />,
  );
  return {
    stopped,
    cover: (covered: number) => {
      steps = { covered, total: 8 };
    },
    finish: (report: ImportRehearsal) => finish(report),
  };
}

const bar = () => page.getByRole('progressbar', { name: 'Rehearsing every workflow…' });

it('[U404] shows how far the rehearsal of an import is', async () => {
  const { cover, finish } = await renderDialog();
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await expect.element(bar()).toHaveAttribute('aria-valuenow', '0');
  cover(6);
  await expect.element(bar()).toHaveAttribute('aria-valuenow', '75');
  await expect.element(page.getByText('6 of 8 steps')).toBeVisible();
  expect(await findIssues(page.getByRole('dialog').element())).toEqual([]);
  finish({ ok: true, workflows: [] });
  await expect.element(page.getByText('Every workflow can be completed.')).toBeVisible();
  await expect.element(bar()).not.toBeInTheDocument();
});

it('[U404] stops the rehearsal on request, without an error', async () => {
  const { stopped } = await renderDialog();
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page.getByRole('button', { name: 'Stop rehearsal' }).click();
  await expect.element(page.getByRole('button', { name: 'Rehearse', exact: true })).toBeVisible();
  expect(stopped).toEqual(['rehearsal']);
  expect(page.getByRole('alert').elements()).toEqual([]);
});
