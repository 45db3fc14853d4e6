import { ApiError } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { inConversation } from '../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../testing/made-events.ts';
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
