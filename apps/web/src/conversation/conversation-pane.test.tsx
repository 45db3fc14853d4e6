import { ApiError } from '@crewagent/protocol/api/client';
import type { RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { AgentBindingApi } from '../api/work-api.ts';
import { findIssues } from '../testing/find-issues.ts';
import { agentStoryLog, inConversation } from '../testing/logs.ts';
import { asking, eventful, RUN_ID, runCreated, toLog } from '../testing/made-events.ts';
import { createRecordedApi, type RecordedApi } from '../testing/recorded-api.ts';
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

describe('sending now', () => {
  it('[U110] clears an accepted message even if the restart fails, and reports that separately', async () => {
    const { api, area } = await sendNow(() => Promise.reject(new Error('The server is gone.')));
    await expect.element(page.getByRole('alert')).toHaveTextContent('The server is gone.');
    await expect.element(page.getByText('The message was not sent.')).not.toBeInTheDocument();
    await area.click();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => api.sent).toEqual([['input', 'Now, please.'], ['stop']]);
  });

  it('[U110] reports nothing if the run ended meanwhile', async () => {
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

describe('an unreachable program', () => {
  it('[U116] is reported as such, and the draft stays', async () => {
    sessionStorage.clear();
    const input = () => Promise.reject(new TypeError('Failed to fetch'));
    await renderConversation(running, { input });
    const area = page.getByRole('textbox', { name: 'Message' });
    await area.fill('Good day.');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('CrewAgent can’t be reached');
    await expect.element(area).toHaveValue('Good day.');
  });

  it('[U116] is reported once, above the composer, with the retry', async () => {
    sessionStorage.clear();
    const { follow, connection } = followedBy(running);
    await renderConversation(running, {
      resume: () => Promise.reject(new TypeError('Failed to fetch')),
      follow,
    });
    await page.getByRole('textbox', { name: 'Message' }).fill('Now, please.');
    await page.getByRole('button', { name: 'Send now' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
    connection.tell('broken');
    await expect.element(page.getByText('Disconnected. Reconnecting…')).toBeVisible();
    expect(page.getByText(/CrewAgent can’t be reached/).elements()).toHaveLength(1);
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });

  it('[U194] disables sending and stopping until it is back', async () => {
    sessionStorage.clear();
    const { follow, connection } = followedBy(running);
    const { api } = await renderConversation(running, { follow });
    const area = page.getByRole('textbox', { name: 'Message' });
    const stop = page.getByRole('button', { name: 'Stop' });
    await expect.element(page.getByText(/^(Working…|No answer)/)).toBeVisible();
    connection.tell('broken');
    await expect.element(page.getByText('Not connected').first()).toBeVisible();
    await expect.element(page.getByText('Running', { exact: true })).not.toBeInTheDocument();
    await expect.element(page.getByText(/^(Working…|No answer)/)).not.toBeInTheDocument();
    await area.fill('Are you there?');
    await userEvent.keyboard('{Enter}');
    for (const name of ['Stop', 'Send now', 'Add to the next turn'])
      await expect.element(page.getByRole('button', { name })).toBeDisabled();
    expect(await findIssues()).toEqual([]);
    connection.tell('open');
    await expect.element(page.getByText(/^(Working…|No answer)/)).toBeVisible();
    await expect.element(area).toHaveValue('Are you there?');
    expect(api.sent).toEqual([]);
    await area.fill('');
    await stop.click();
    await expect.poll(() => api.sent).toEqual([['stop']]);
  });
});

/** A conversation whose connection the test controls. */
function followedBy(log: typeof running) {
  const recorded = createRecordedApi(log);
  const connection = { tell: (_: 'open' | 'broken'): void => undefined };
  const follow: RecordedApi['follow'] = (id, options) => {
    connection.tell = options.onState;
    return recorded.follow(id, options);
  };
  return { follow, connection };
}

describe('the keyboard focus', () => {
  const message = () => page.getByRole('textbox', { name: 'Message' });
  const word = () => page.getByRole('textbox', { name: /Note to the model/ });
  const isAsked: RunFact = {
    type: 'question.asked',
    callId: 'q2',
    questions: [{ id: 'name', prompt: 'What is it called?', type: 'text' }],
  };
  const said = {
    type: 'approval.resolved',
    callId: 'c10',
    tool: 'fs.apply_patch',
    path: '@project/a',
  } as const;
  const tellMore = (api: RecordedApi, before: readonly RunFact[], ...more: readonly RunFact[]): void => {
    for (const data of toLog(RUN_ID, [...before, ...more]).slice(-more.length))
      api.tell({ type: 'event', data });
  };

  it('moves from an approval to the composer, and on to the next question', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await expect.element(word()).toBeVisible();
    (word().element() as HTMLElement).focus();
    await userEvent.keyboard('{Tab}{Tab}{Enter}');
    const shown = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    await expect.poll(() => api.sent).toEqual([['approve', 'c10', { decision: 'once', shown }]]);
    const resolved: RunFact = { ...said, decision: 'once' };
    tellMore(api, eventful, resolved);
    await expect.element(message()).toHaveFocus();
    tellMore(api, [...eventful, resolved], isAsked);
    await expect.element(page.getByRole('textbox', { name: 'What is it called?' })).toHaveFocus();
    // One field for one answer.
    expect(page.getByRole('textbox').elements()).toHaveLength(1);
    await userEvent.keyboard('Larder{Enter}');
    await expect.poll(() => api.sent.at(-1)).toEqual(['answer', 'q2', { name: 'Larder' }]);
  });

  it('[U33] does not move into a question while the user is typing; the draft is kept', async () => {
    sessionStorage.clear();
    const facts: readonly RunFact[] = [runCreated, { type: 'phase.changed', phase: 'Running' }];
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await message().click();
    await userEvent.keyboard('Half a thou');
    const questions = [
      { id: 'name', prompt: 'What is it called?', type: 'text' },
      { id: 'goal', prompt: 'What is it for?', type: 'text' },
    ] as const;
    const asked: RunFact = { type: 'question.asked', callId: 'q1', questions: [...questions] };
    tellMore(api, facts, asked);
    await expect.element(page.getByRole('heading', { name: '2 questions for you' })).toHaveFocus();
    await expect.element(message()).not.toBeInTheDocument();
    await expect.element(page.getByText('0 of 2 answered')).toBeVisible();
    await userEvent.keyboard('ght{Enter}');
    await expect.element(page.getByRole('textbox', { name: 'What is it called?' })).toHaveValue('');
    expect(api.sent).toEqual([]);
    const answered: RunFact = { type: 'question.answered', callId: 'q1', answers: { name: 'a', goal: 'b' } };
    tellMore(api, [...facts, asked], answered);
    await expect.element(message()).toHaveValue('Half a thou');
  });

  it('[U33] [U34] that was led to the composer stays with what is typed there', async () => {
    sessionStorage.clear();
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await page.getByRole('button', { name: 'Deny' }).click();
    await expect.poll(() => api.sent.length).toBe(1);
    const denied: RunFact = { ...said, decision: 'no' };
    tellMore(api, eventful, denied);
    await expect.element(message()).toHaveFocus();
    await userEvent.keyboard('Half a thou');
    const approval = eventful.find(({ type }) => type === 'approval.requested');
    if (approval?.type !== 'approval.requested') throw new Error('The log has no approval.');
    tellMore(api, [...eventful, denied], { ...approval, callId: 'c11' });
    await expect.element(word()).toBeVisible();
    await userEvent.keyboard('ght');
    await expect.element(word()).toHaveValue('');
    await expect.poll(() => document.activeElement?.tagName).toBe('H2');
  });

  it('moves from one question to the next', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await page.getByRole('button', { name: 'More options' }).click();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.poll(() => api.sent.length).toBe(1);
    tellMore(api, eventful, { ...said, decision: 'run' }, isAsked);
    await expect.element(page.getByRole('textbox', { name: 'What is it called?' })).toHaveFocus();
  });

  it('stays after a rejected answer', async () => {
    const facts = asking.map((fact) => (fact.type === 'question.asked' ? isAsked : fact));
    await renderConversation(inConversation(toLog(RUN_ID, facts)), {
      answer: () => Promise.reject(new Error('Another window was faster.')),
    });
    const field = page.getByRole('textbox', { name: 'What is it called?' });
    await field.fill('Larder');
    await userEvent.keyboard('{Tab}{Enter}');
    await expect.element(page.getByRole('alert')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Answer', exact: true })).toHaveFocus();
  });

  it('does not move if the user focused something else', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    const story = page.getByRole('region', { name: 'Timeline' });
    (story.element() as HTMLElement).focus();
    tellMore(api, eventful, { ...said, decision: 'no' });
    await expect.element(word()).not.toBeInTheDocument();
    await expect.element(story).toHaveFocus();
  });

  it('does not move if the user pressed something that takes no focus', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('region', { name: 'Status bar' }).click();
    await expect.poll(() => document.activeElement).toBe(document.body);
    tellMore(api, eventful, { ...said, decision: 'no' });
    await expect.element(word()).not.toBeInTheDocument();
    await expect.element(message()).toBeVisible();
    expect(document.activeElement).toBe(document.body);
  });

  it('moves on after a mouse choice in a menu opened from here', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem').first().click();
    await expect.poll(() => api.sent.length).toBe(1);
    tellMore(api, eventful, { ...said, decision: 'run' }, isAsked);
    await expect.element(page.getByRole('textbox', { name: 'What is it called?' })).toHaveFocus();
  });

  it('still moves after a press elsewhere that did not change the focus', async () => {
    const facts = asking.map((fact) => (fact.type === 'question.asked' ? isAsked : fact));
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await page.getByRole('textbox', { name: 'What is it called?' }).fill('Larder');
    // As a press on a scroll bar does.
    document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => api.sent.length).toBe(1);
    tellMore(api, facts, { type: 'question.answered', callId: 'q2', answers: { name: 'Larder' } });
    await expect.element(message()).toHaveFocus();
  });
});

describe('a low window', () => {
  it('[U36] keeps the question and its button visible', async () => {
    await page.viewport(720, 450);
    try {
      sessionStorage.clear();
      await renderConversation(inConversation(toLog(RUN_ID, asking)));
      const answer = page.getByRole('button', { name: 'Answer', exact: true });
      await expect.element(answer).toBeVisible();
      for (const one of [page.getByText('What is the project called?'), answer])
        await expect.poll(() => isOnTop(one.element())).toBe(true);
    } finally {
      await page.viewport(1280, 800);
    }
  });
});

/** Nothing covers it, also not at its edges. */
function isOnTop(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [top + 1, bottom - 1].every((y) =>
    element.contains(document.elementFromPoint((left + right) / 2, y)),
  );
}

describe('the menu of an agent', () => {
  const entries = [
    { index: 1, label: 'create-story', description: 'Write the next story', handlers: [] },
    { index: 2, label: 'check-story', description: 'Check a story for gaps', handlers: [] },
  ];
  const binding: AgentBindingApi = {
    menu: () => Promise.resolve(entries),
    setModel: () => Promise.resolve(),
    turnTo: () => Promise.resolve(),
  };
  const open = () => page.getByRole('button', { name: 'Menu', exact: true });
  const thread = agentStoryLog.filter(({ runId }) => runId === agentStoryLog[0]?.runId).slice(0, 2);

  it('[U10] is opened and used with the keyboard alone, also by number', async () => {
    const { api, screen } = await renderConversation(thread, { binding });
    await expect.element(open()).toBeVisible();
    (open().element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    const first = page.getByRole('dialog', { name: 'Agent menu' }).getByRole('button').first();
    await expect.element(first).toHaveFocus();
    expect(await findIssues(screen.container)).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await expect.element(open()).toHaveFocus();
    await userEvent.keyboard('{Enter}{ArrowDown}{Enter}');
    await expect.poll(() => api.sent).toEqual([['input', '2']]);
    await expect.element(open()).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    await expect.element(first).toHaveFocus();
    await userEvent.keyboard('1');
    await expect
      .poll(() => api.sent)
      .toEqual([
        ['input', '2'],
        ['input', '1'],
      ]);
  });

  it('[U10] closes when a turn starts, and stays closed', async () => {
    const { api } = await renderConversation(thread, { binding });
    await open().click();
    const list = page.getByRole('dialog', { name: 'Agent menu' });
    await expect.element(list).toBeVisible();
    const [{ ts = '', runId = '' } = {}] = thread;
    const tell = (seq: number, phase: 'Running' | 'WaitingUser') =>
      api.tell({ type: 'event', data: { v: 1, ts, runId, seq, type: 'phase.changed', phase } });
    tell(3, 'Running');
    await expect.element(list).not.toBeInTheDocument();
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveFocus();
    tell(4, 'WaitingUser');
    await expect.element(open()).toBeEnabled();
    await expect.element(list).not.toBeInTheDocument();
  });

  it('moves the focus to the composer after a choice in the timeline', async () => {
    const { api } = await renderConversation(thread, { binding });
    const offered = page.getByRole('navigation').getByRole('button', { name: /check-story/ });
    await expect.element(offered).toBeVisible();
    (offered.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => api.sent).toEqual([['input', '2']]);
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveFocus();
  });

  it('[U10] is opened before its number is sent during a run: the number alone would go to the run', async () => {
    const isStart = ({ type }: { readonly type: string }) => type === 'turn.started';
    const begun = agentStoryLog.slice(0, agentStoryLog.findIndex(isStart));
    const rest = begun.filter((event) => event.type !== 'phase.changed');
    const { api } = await renderConversation(rest, { binding });
    await open().click();
    await userEvent.keyboard('2');
    await expect
      .poll(() => api.sent)
      .toEqual([
        ['input', '/menu'],
        ['input', '2'],
      ]);
    await expect.element(page.getByText('Chose “create-story”')).toBeVisible();
  });
});
