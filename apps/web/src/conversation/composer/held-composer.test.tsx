import { toFileAction } from '@crewagent/protocol/described-actions';
import type { PendingItem } from '@crewagent/protocol/story/items';
import type { Question } from '@crewagent/protocol/tools';
import { beforeEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { findIssues } from '../../testing/find-issues.ts';
import { HeldComposer } from './held-composer.tsx';

const CHANGE: PendingItem = {
  seq: 1,
  ts: '',
  kind: 'approval',
  callId: 'c',
  tool: 'fs.write',
  action: toFileAction('fs.write', '@project/a.md', '', 'written'),
};

describe('the composer while something else comes first', () => {
  beforeEach(() => sessionStorage.clear());

  it.each([
    ['a question', asks('text'), 'Answer the question above first.'],
    ['several questions', asks('text', 'text'), 'Answer the questions above first.'],
    ['a choice', asks('choice'), 'Answer the question above first.'],
    ['a change', CHANGE, 'Allow or deny the change above first.'],
  ])('[U33] says for %s that the draft is kept, and nothing without one', async (_, pending, first) => {
    sessionStorage.setItem('crewagent.draft.half', 'Half a thought');
    const { container, rerender } = await render(<HeldComposer pending={pending} draftName="none" />);
    expect(container.querySelector('textarea')).toBeNull();
    expect(container.textContent).toBe('');
    await rerender(<HeldComposer pending={pending} draftName="half" />);
    await expect.element(page.getByText(`${first} Your draft is saved.`)).toBeVisible();
    expect(await findIssues(container)).toEqual([]);
  });
});

function asks(...types: readonly Question['type'][]): PendingItem {
  const questions = types.map((type, index) => ({ id: `q${index}`, prompt: 'Why?', type }));
  return { seq: 1, ts: '', kind: 'question', callId: 'c', questions, answers: undefined };
}
