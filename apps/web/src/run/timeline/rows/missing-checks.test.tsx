import type { RunFact } from '@crewagent/protocol/events';
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { findIssues } from '../../../testing/find-issues.ts';
import { inConversation } from '../../../testing/logs.ts';
import { HOSTILE, RUN_ID, runCreated, toLog } from '../../../testing/made-events.ts';
import { renderConversation } from '../../../testing/render-conversation.tsx';

afterEach(async () => {
  await cleanup();
  useAppearance.setState({ language: 'en' });
});

type Details = Record<string, unknown>;

const stopped = (
  details: Details,
  code: 'E_OUTPUT_INCOMPLETE' | 'E_PERSON_NOT_HEARD' | 'CONSUMED_FILE_MISSING' = 'E_OUTPUT_INCOMPLETE',
): RunFact => ({
  type: 'phase.changed',
  phase: 'WaitingUser',
  reason: { code, message: 'All of it in one sentence.', details },
});

const show = (fact: RunFact, ...more: RunFact[]) =>
  renderConversation(inConversation(toLog(RUN_ID, [runCreated, fact, ...more])));

const PRD = { id: '{dir}/prd.md', path: '@project/docs/prd.md' };
const MISSING = [
  { ...PRD, kind: 'headings', message: 'docs/prd.md lacks the headings "Scope", "Risks".' },
  { ...PRD, kind: 'minWords', message: 'docs/prd.md has 12 words and needs 120.' },
  { id: 'verify: npm test', kind: 'verify', message: '"npm test" ended with 1 and must end with 0.' },
];

const list = () => page.getByRole('list', { name: 'What is missing' });

describe('a run whose step lacks something', () => {
  it('[U540] lists exactly what is missing, once per file, and can be resumed', async () => {
    const { api } = await show(stopped({ missing: MISSING }));
    await expect.element(list()).toBeVisible();
    const rows = list().getByRole('listitem').elements();
    expect(rows.map((row) => [...row.querySelectorAll('p')].map(({ textContent }) => textContent))).toEqual([
      [
        'docs/prd.md · Headings are missing · Too short',
        'docs/prd.md lacks the headings "Scope", "Risks".',
        'docs/prd.md has 12 words and needs 120.',
      ],
      ['npm test · The test did not succeed', '"npm test" ended with 1 and must end with 0.'],
    ]);
    await expect.element(page.getByText('All of it in one sentence.')).not.toBeInTheDocument();
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });

  it('[U540] is accepted without one of them only with a reason', async () => {
    const { api } = await show(stopped({ missing: MISSING }));
    await page.getByRole('button', { name: 'Accept without it… docs/prd.md' }).click();
    const confirm = page.getByRole('button', { name: 'Accept and continue' });
    await expect.element(confirm).toBeDisabled();
    const field = page.getByRole('textbox', { name: 'Why is it fine without it?' });
    await expect.element(field).toHaveFocus();
    await field.fill('   ');
    await userEvent.keyboard('{Enter}');
    await expect.element(confirm).toBeDisabled();
    expect(api.sent).toEqual([]);
    expect(await findIssues()).toEqual([]);
    await field.fill(' It is in the wiki. ');
    await confirm.click();
    await expect
      .poll(() => api.sent)
      .toEqual([['waive', { check: '{dir}/prd.md', reason: 'It is in the wiki.' }]]);
  });

  it('[U540] is accepted without all of them, or not: Escape goes back', async () => {
    const { api } = await show(stopped({ missing: MISSING }));
    const all = page.getByRole('button', { name: 'Accept without all of it…' });
    await all.click();
    await userEvent.keyboard('{Escape}');
    await all.click();
    await userEvent.keyboard('A draft is enough.{Enter}');
    await expect.poll(() => api.sent).toEqual([['waive', { reason: 'A draft is enough.' }]]);
  });

  it('[U540] says that nobody was heard, without the words meant for the model', async () => {
    const message = 'Nobody has answered in this step yet: stop without a tool call and wait.';
    await show(stopped({ missing: [{ id: 'wait', kind: 'wait', message }] }, 'E_PERSON_NOT_HEARD'));
    await expect.element(list().getByText('Your answer · You were not asked yet')).toBeVisible();
    await expect.element(page.getByText(message)).not.toBeInTheDocument();
  });

  it('[U540] keeps the question of the author about a file that is needed', async () => {
    const { api } = await show(stopped({ consumes: ['docs/epics.md'] }, 'CONSUMED_FILE_MISSING'));
    await expect.element(page.getByText('All of it in one sentence.')).toBeVisible();
    await page.getByRole('button', { name: 'Accept without it… docs/epics.md' }).click();
    await userEvent.keyboard('There are none.{Enter}');
    await expect
      .poll(() => api.sent)
      .toEqual([['waive', { check: 'docs/epics.md', reason: 'There are none.' }]]);
  });

  it('[U540] in Chinese names what is missing in Chinese', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    await show(stopped({ missing: MISSING }));
    await expect.element(page.getByText('docs/prd.md · 缺少标题 · 篇幅不足')).toBeVisible();
    await expect.element(page.getByRole('button', { name: '不要求这一项… docs/prd.md' })).toBeVisible();
    expect(
      page
        .getByText(/lacks the headings/)
        .element()
        .getAttribute('lang'),
    ).toBe('en');
    expect(await findIssues()).toEqual([]);
  });

  it('[U540] offers nothing any more once the run continued', async () => {
    await show(stopped({ missing: MISSING }), { type: 'phase.changed', phase: 'Running' });
    await expect.element(page.getByText(/Resumed at/)).toBeVisible();
    await expect.element(page.getByRole('button', { name: /^Accept/ })).not.toBeInTheDocument();
  });

  it('[U540] shows hostile text as text, and ignores details of another form', async () => {
    await show(stopped({ missing: [{ id: HOSTILE, kind: 'exists', message: HOSTILE }] }));
    await expect.element(list().getByRole('listitem')).toBeVisible();
    expect('wasHacked' in globalThis).toBe(false);
    await cleanup();
    await show(stopped({ missing: [{ id: 1 }] }));
    await expect.element(page.getByText('All of it in one sentence.')).toBeVisible();
  });
});
