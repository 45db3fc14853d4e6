import { ApiError } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { inConversation } from '../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../testing/made-events.ts';
import { createRecordedApi } from '../testing/recorded-api.ts';
import { renderConversation } from '../testing/render-conversation.tsx';

const running = inConversation(toLog(RUN_ID, [runCreated, { type: 'phase.changed', phase: 'Running' }]));

async function sendNow(resume: () => Promise<void>) {
  sessionStorage.clear();
  const { api } = await renderConversation(running, { resume });
  const area = page.getByRole('textbox', { name: 'Message' });
  await area.fill('Now, please.');
  await page.getByRole('button', { name: 'Send now' }).click();
  await expect.element(area).toHaveValue('');
  return { api, area };
}

describe('telling at once', () => {
  it('[U120] does not keep words that were accepted where going on fails, and tells that for itself', async () => {
    const { api, area } = await sendNow(() => Promise.reject(new Error('The server is gone.')));
    await expect.element(page.getByRole('alert')).toHaveTextContent('The server is gone.');
    await expect.element(page.getByText('The message was not sent.')).not.toBeInTheDocument();
    await area.click();
    await userEvent.keyboard('{Enter}');
    expect(api.sent).toEqual([['input', 'Now, please.'], ['stop']]);
  });

  it('[U120] has nothing to tell where the run came to its end meanwhile', async () => {
    let tries = 0;
    const { api } = await sendNow(() => {
      tries++;
      return Promise.reject(new ApiError(409, { code: 'RUN_NOT_READY', message: 'It is running already.' }));
    });
    await expect.poll(() => tries).toBe(1);
    expect(api.sent).toEqual([['input', 'Now, please.'], ['stop']]);
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });
});

describe('a program that is not there', () => {
  it('[U128] is told as such, and what was typed stays', async () => {
    sessionStorage.clear();
    const input = () => Promise.reject(new TypeError('Failed to fetch'));
    await renderConversation(running, { input });
    const area = page.getByRole('textbox', { name: 'Message' });
    await area.fill('Good day.');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('CrewAgent is not running');
    await expect.element(area).toHaveValue('Good day.');
  });

  it('[U128] is told where the story is followed, once, with that it is tried again', async () => {
    sessionStorage.clear();
    const recorded = createRecordedApi(running);
    await renderConversation(running, {
      resume: () => Promise.reject(new TypeError('Failed to fetch')),
      follow: (id, options) => recorded.follow(id, { ...options, onState: () => options.onState('broken') }),
    });
    await expect.element(page.getByText('The connection is gone. Trying again…')).toBeVisible();
    await page.getByRole('textbox', { name: 'Message' }).fill('Now, please.');
    await page.getByRole('button', { name: 'Send now' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
    expect(page.getByText(/CrewAgent is not running/).elements()).toHaveLength(1);
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });
});
