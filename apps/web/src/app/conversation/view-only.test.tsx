import type { Role } from '@crewagent/protocol/roles';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { useTeamServer } from '../../state/team-server.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { inConversation } from '../../testing/logs.ts';
import { asking, eventful, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

const ID = '01a1de9a-0000-7000-8000-0000000000aa';

function signInAs(role: Role): void {
  useTeamServer.setState({
    me: {
      person: {
        ...{ personId: ID, email: 'ben@example.com', name: 'Ben', isAdmin: false, isDisabled: false },
        createdAt: '2026-01-01T00:00:00.000Z',
      },
      ...{ roles: { p: role }, hasPassword: true, passkeys: 0, absent: [] },
    },
  });
}

it.each([
  ['view', false],
  ['run', true],
] as const)('a person with the role %s sees the open questions, and may answer: %s', async (role, mayRun) => {
  signInAs(role);
  await renderConversation(inConversation(toLog(RUN_ID, asking)));
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect.element(page.getByText('What is the project called?')).toBeVisible();
  const inTimeline = timeline.getByText('What is the project called?');
  await expect.poll(() => inTimeline.elements().length).toBe(mayRun ? 0 : 1);
  expect(page.getByRole('note').getByText('You can view this project.').elements().length).toBe(
    mayRun ? 0 : 1,
  );
  expect(page.getByRole('button', { name: 'Skip question 1' }).elements().length).toBe(mayRun ? 1 : 0);
  expect(await findIssues()).toEqual([]);
});

it('offers nothing that changes the Work to somebody who may only look', async () => {
  signInAs('view');
  await renderConversation(inConversation(toLog(RUN_ID, eventful)));
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expect.element(page.getByRole('menuitem', { name: 'Replay' })).toBeVisible();
  const items = page
    .getByRole('menuitem')
    .elements()
    .map((item) => item.textContent);
  expect(items.filter((item) => /step|Go back|Hand over/.test(item ?? ''))).toEqual([]);
  for (const name of [/^Undo/, /^Redo/, /^Resume/, /^Stop/])
    expect(page.getByRole('button', { name }).elements()).toEqual([]);
});

it.each([
  [true, 'Waiting to start'],
  [false, 'Waiting for you'],
] as const)(
  '[U40] a run without an event but its start, on a team server %s, is %s',
  async (isTeam, label) => {
    if (isTeam) signInAs('run');
    await renderConversation(inConversation(toLog(RUN_ID, [runCreated])));
    await expect.element(page.getByText(label, { exact: true }).first()).toBeVisible();
  },
);
