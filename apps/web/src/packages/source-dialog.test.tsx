import type { ImportRehearsal, ShownImport } from '@crewagent/protocol/api/imports';
import type { ReaderTrial } from '@crewagent/protocol/reader-trials';
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
  const asked: unknown[] = [];
  const rehearse = (input: { readonly query?: unknown }, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<ImportRehearsal>((resolve, reject) => {
      asked.push(input.query);
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
    asked,
    cover: (covered: number) => {
      steps = { covered, total: 8 };
    },
    finish: (report: ImportRehearsal) => finish(report),
  };
}

const bar = () => page.getByRole('progressbar', { name: 'Rehearsing every workflow…' });

it('[U84] shows how far the rehearsal of an import is', async () => {
  const { cover, finish } = await renderDialog();
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await expect.element(bar()).toHaveAttribute('aria-valuenow', '0');
  cover(6);
  await expect.element(bar()).toHaveAttribute('aria-valuenow', '75');
  await expect.element(page.getByText('6 of 8 steps')).toBeVisible();
  expect(await findIssues(page.getByRole('dialog').element())).toEqual([]);
  finish({ ok: true, workflows: [], trials: [] });
  await expect.element(page.getByText('Every workflow can be completed.')).toBeVisible();
  await expect.element(bar()).not.toBeInTheDocument();
});

it('[U84] stops the rehearsal on request, without an error', async () => {
  const { stopped } = await renderDialog();
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page.getByRole('button', { name: 'Stop rehearsal' }).click();
  await expect.element(page.getByRole('button', { name: 'Rehearse', exact: true })).toBeVisible();
  expect(stopped).toEqual(['rehearsal']);
  expect(page.getByRole('alert').elements()).toEqual([]);
});

const step = { workflow: 'watch', nodeId: 'step-02-count', file: 'steps/step-02-count.md' };
const lazyTrial: ReaderTrial = {
  as: 'lazy',
  workflow: 'watch',
  title: 'Watch birds',
  ok: false,
  isCompleted: true,
  turns: 3,
  nodes: { covered: 2, total: 2 },
  escapes: [
    { ...step, kind: 'nothing-to-prove' },
    { ...step, kind: 'one-byte-file', path: 'artifacts/birds.md' },
  ],
  circles: [],
  waived: [],
};

it('[K41] tries an import as a lazy model and says what it got away with', async () => {
  const { asked, finish } = await renderDialog();
  await page.getByRole('button', { name: 'Lazy' }).click();
  await expect.element(page.getByRole('button', { name: 'Literal' })).toBeDisabled();
  expect(asked).toEqual([{ as: 'lazy' }]);
  finish({ ok: false, workflows: [], trials: [lazyTrial] });
  await expect.element(page.getByText('A lazy model can complete a workflow.')).toBeVisible();
  const result = page.getByRole('list', { name: 'Result for each workflow' });
  await expect.element(result).toHaveTextContent(/Watch birds Completed, 2\/2 steps/);
  await expect.element(result).toHaveTextContent(/step-02-count: nothing to prove/);
  await expect.element(result).toHaveTextContent(/artifacts\/birds.md has one byte/);
  expect(await findIssues(page.getByRole('dialog').element())).toEqual([]);
});

it('[K41] says where a literal model was stopped, and which step it tried to leave several times', async () => {
  const { finish } = await renderDialog();
  await page.getByRole('button', { name: 'Literal' }).click();
  const refusals = [{ code: 'E_OUTPUT_INCOMPLETE', message: '"step-02-count" is not done.', count: 3 }];
  const stop = {
    ...step,
    code: 'E_OUTPUT_INCOMPLETE',
    message: '',
    checks: [{ id: 'a.md', kind: 'contains' as const, message: 'a.md does not contain "Wren".' }],
  };
  const trial = { ...lazyTrial, as: 'literal' as const, isCompleted: false, escapes: [], stop };
  finish({ ok: false, workflows: [], trials: [{ ...trial, circles: [{ ...step, turns: 4, refusals }] }] });
  const result = page.getByRole('list', { name: 'Result for each workflow' });
  await expect.element(result).toHaveTextContent(/Stopped at step-02-count/);
  await expect.element(result).toHaveTextContent(/a.md does not contain "Wren"/);
  await expect.element(result).toHaveTextContent(/refused 3 times/);
  await expect.element(page.getByText('A literal model does not complete every workflow.')).toBeVisible();
});
