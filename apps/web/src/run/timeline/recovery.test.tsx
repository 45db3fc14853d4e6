import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { ReasonCode } from '@crewagent/protocol/reason-codes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup, render } from 'vitest-browser-react';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { inConversation } from '../../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { NO_SERVER } from '../../testing/no-server.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';
import { PhasePill, type ShownPhase } from '../../ui/phase-pill.tsx';

afterEach(async () => {
  await cleanup();
  vi.useRealTimers();
  useAppearance.setState({ language: 'en' });
});

const story = () => page.getByRole('region', { name: 'Timeline' });

/** Stops the clock, but not the timers; returns a function that advances it. On a busy machine a second on the screen is missed. */
function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] });
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}

/** A log whose last event happened this many milliseconds ago. */
function endingAgo(ms: number, facts: readonly RunFact[]): readonly RunEvent[] {
  const log = toLog(RUN_ID, facts);
  const last = Date.parse(log.at(-1)?.ts ?? '');
  const shift = Date.now() - ms - last;
  return inConversation(
    log.map((event) => ({ ...event, ts: new Date(Date.parse(event.ts) + shift).toISOString() })),
  );
}

const running: RunFact = { type: 'phase.changed', phase: 'Running' };
const idle = (code: ReasonCode, message = '', details?: Record<string, unknown>): RunFact => ({
  type: 'phase.changed',
  phase: 'WaitingUser',
  reason: { code, message, ...(details ? { details } : {}) },
});

describe('a status', () => {
  it('[U40] has a label, an icon and a colour of its own', async () => {
    const phases: readonly ShownPhase[] = ['WaitingUser', 'Stopped', 'CutOff', 'Limit', 'Problem'];
    const screen = await render(
      <div>
        {phases.map((phase) => (
          <p key={phase}>
            <PhasePill phase={phase} />
          </p>
        ))}
      </div>,
    );
    const pills = [...screen.container.querySelectorAll('p > span')];
    for (const look of [
      (pill: Element) => pill.textContent,
      (pill: Element) => pill.querySelector('svg')?.innerHTML,
      (pill: Element) => getComputedStyle(pill).backgroundColor,
    ])
      expect(new Set(pills.map(look)).size).toBe(phases.length);
  });

  it.each([
    ['LLM_TIMEOUT', 'Error', '出错'],
    ['ENGINE_MAX_TURNS_EXCEEDED', 'Limit reached', '已达上限'],
  ] as const)('[U40] of %s is not shown as a question', async (code, english, chinese) => {
    await renderConversation(endingAgo(0, [runCreated, idle(code)]));
    await expect.element(page.getByText(english).first()).toBeVisible();
    expect(await findIssues()).toEqual([]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText(chinese).first()).toBeVisible();
  });
});

describe('a model that fails', () => {
  it.each([
    [500, 'The model provider has a problem.', '模型服务商出现故障。'],
    [404, 'No model answers at this address.', '这个地址没有模型服务。'],
    [402, 'The account of the model has no credit left.', '模型账户余额不足。'],
    [undefined, 'The model can’t be reached.', '无法连接到模型。'],
  ])('[U234] shows its cause, status %s', async (status, english, chinese) => {
    const failure = idle('LLM_HTTP_ERROR', 'It failed.', status === undefined ? {} : { status });
    await renderConversation(endingAgo(0, [runCreated, failure]));
    await expect.element(story().getByText(english)).toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText(chinese)).toBeVisible();
  });

  it('[U234] because its name is unknown says so, and leads to the settings', async () => {
    const unknown = idle('LLM_HTTP_ERROR', 'No.', { status: 404, isModelUnknown: true });
    await renderConversation(endingAgo(0, [runCreated, unknown]));
    await expect.element(story().getByText('The provider does not know this model.')).toBeVisible();
    await expect.element(story().getByRole('button', { name: 'Model settings' })).toBeVisible();
  });

  it('[U234] because the connection broke off says so, and does not blame the response', async () => {
    const broken = idle('LLM_BAD_RESPONSE', 'The reply was cut off.', { isBrokenOff: true });
    await renderConversation(endingAgo(0, [runCreated, broken]));
    await expect.element(story().getByText('The connection to the model broke off.')).toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('与模型的连接中断。')).toBeVisible();
  });

  it('[U234] without credit says so, and not that waiting helps', async () => {
    await renderConversation(endingAgo(0, [runCreated, idle('LLM_OUT_OF_CREDIT', 'No.', { status: 429 })]));
    await expect.element(story().getByText('The account of the model has no credit left.')).toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('模型账户余额不足。')).toBeVisible();
  });

  it.each(['LLM_AUTH_FAILED', 'LLM_OUT_OF_CREDIT'] as const)(
    '[U234] because of its key offers to change the key first: %s',
    async (code) => {
      await renderConversation(endingAgo(0, [runCreated, idle(code, 'Refused.')]));
      const buttons = () =>
        story()
          .getByRole('alert')
          .getByRole('button')
          .elements()
          .map(({ textContent }) => textContent);
      await expect.poll(() => buttons()).toEqual(['Change the key', 'Resume']);
      await page.getByRole('button', { name: 'Change the key' }).click();
      await expect.element(page.getByRole('dialog', { name: 'API key for deepseek' })).toBeVisible();
      expect(await findIssues()).toEqual([]);
    },
  );

  it('[U66] for the messages of a step offers to start the step again, first', async () => {
    const rewound: unknown[] = [];
    const works = {
      ...NO_SERVER.works,
      changes: async () => ({ changes: [] }),
      rewind: async (request: unknown) => {
        rewound.push(request);
        return { stop: { phase: 'WaitingUser' }, files: [] };
      },
    };
    const facts: readonly RunFact[] = [
      runCreated,
      running,
      { type: 'turn.started', turn: 1, nodeId: 'step-01-intake', requestBytes: 1, estimatedTokens: 1 },
      idle('LLM_MESSAGES_REFUSED', 'Refused.', { status: 400 }),
    ];
    const client = { ...NO_SERVER, works } as unknown as ApiClient;
    const { api } = await renderConversation(endingAgo(0, facts), {}, client);
    const buttons = () => story().getByRole('alert').getByRole('button').elements();
    await expect.poll(() => buttons()[0]?.textContent).toBe('Start this step again');
    await page.getByRole('button', { name: 'Start this step again' }).click();
    const dialog = page.getByRole('dialog', { name: /Intake/ });
    await expect.element(dialog).toBeVisible();
    await dialog.getByRole('button').last().click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
    expect(rewound).toEqual([{ workId: RUN_ID, body: { nodeId: 'step-01-intake', undoesFiles: false } }]);
  });

  it('shows what it has used so far: the cost, or tokens where no price is known', async () => {
    const usage = { promptTokens: 12_000, completionTokens: 300, cachedTokens: 0 };
    const used = (costUsd?: number): RunFact => {
      const total = costUsd === undefined ? usage : { ...usage, costUsd };
      return { type: 'usage.updated', turn: 1, usage: total, total };
    };
    const log = endingAgo(0, [runCreated, running, used(), used(0.05)]);
    const { api } = await renderConversation(log.slice(0, -1));
    await expect.element(page.getByRole('button', { name: 'So far: 12.3K tokens' })).toBeVisible();
    const [priced] = log.slice(-1);
    if (priced) api.tell({ type: 'event', data: priced });
    await expect.element(page.getByRole('button', { name: 'Cost so far: $0.05' })).toBeVisible();
    await expect.element(page.getByText('deepseek', { exact: true }).first()).toBeVisible();
  });

  it('[U234] and is asked again counts down, and can be asked at once', async () => {
    const retry: RunFact = {
      type: 'llm.retry',
      turn: 1,
      attempt: 2,
      delayMs: 30_000,
      code: 'LLM_RATE_LIMITED',
      message: 'Too many requests.',
      details: { status: 429 },
    };
    const advance = stopClock();
    const { api } = await renderConversation(endingAgo(0, [runCreated, running, retry]));
    await expect.element(story().getByText('Retrying in 30s')).toBeVisible();
    advance(3_000);
    await expect.element(story().getByText('Retrying in 27s')).toBeVisible();
    await page.getByRole('button', { name: 'Try now' }).click();
    await expect.poll(() => api.sent).toEqual([['stop'], ['resume']]);
  });

  it('[U234] and is silent shows the elapsed time, and after a while a retry button', async () => {
    const advance = stopClock();
    const { api } = await renderConversation(endingAgo(18_000, [runCreated, running]));
    await expect.element(story().getByText('Working… 18s')).toBeVisible();
    advance(3_000);
    await expect.element(story().getByText('No answer from the model for 21s.')).toBeVisible();
    expect(
      await findIssues(
        story()
          .getByText(/No answer/)
          .element(),
      ),
    ).toEqual([]);
    await story().getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => api.sent).toEqual([['stop'], ['resume']]);
  });
});

describe('a local model', () => {
  const started: RunFact = {
    ...{ type: 'turn.started', turn: 1, nodeId: 'step-01-intake', agentId: 'analyst' },
    ...{ requestBytes: 90_000, estimatedTokens: 24_000, firstByteSeconds: 1_800 },
  };
  const queued: RunFact = { type: 'input.queued', content: 'And soup.' };

  it('[U234] evaluates the prompt until its first data, and can be stopped', async () => {
    const { api } = await renderConversation(endingAgo(99_000, [runCreated, running, started]));
    await expect.element(story().getByText(/^Evaluating the prompt, 1:(39|4\d)$/)).toBeVisible();
    await expect.element(story().getByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
    expect(await findIssues()).toEqual([]);
    await story().getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => api.sent).toEqual([['stop']]);
    api.tell({ type: 'streaming', data: { runId: RUN_ID, text: '', reasoning: '' } });
    await expect.element(story().getByText(/Evaluating/)).not.toBeInTheDocument();
  });

  it('[U234] that sends nothing for minutes is not said to be evaluating for ever', async () => {
    await renderConversation(endingAgo(300_000, [runCreated, running, started]));
    const silent =
      /^Nothing from the model for 5:0\d\. It may still be reading; the request ends after 30:00\.$/;
    await expect.element(story().getByText(silent)).toBeVisible();
    await expect.element(story().getByRole('button', { name: 'Stop' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U234] is said to since the request was sent, whatever was queued since', async () => {
    const log = endingAgo(98_000, [runCreated, running, started, queued]);
    await renderConversation(log);
    await expect.element(story().getByText(/^Evaluating the prompt, 1:(39|4\d)$/)).toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText(/^正在处理提示词，1:/)).toBeVisible();
  });
});

describe('a run that was idle', () => {
  it('[U91] says so in the past tense once it was resumed', async () => {
    const facts = [runCreated, running, idle('stopped'), running, idle('interrupted')];
    await renderConversation(endingAgo(0, facts));
    await expect.element(story().getByText(/^Stopped · Resumed at/)).toBeVisible();
    await expect.element(story().getByText(/It can be resumed/)).not.toBeInTheDocument();
    await expect.element(story().getByRole('button', { name: 'Resume' })).toBeVisible();
  });

  it('[U91] is resumed from its own row, whatever follows that row', async () => {
    const undone: RunFact = {
      type: 'changes.undone',
      direction: 'undo',
      selection: { all: true },
      files: [{ path: '@project/a.md', outcome: 'deleted' }],
    };
    const { api } = await renderConversation(endingAgo(0, [runCreated, running, idle('stopped'), undone]));
    await story().getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });
});

describe('a run whose model stopped without a question', () => {
  it('[U234] says so, and continues without an answer', async () => {
    const facts = [runCreated, running, idle('reply', 'It stopped.', { isUnasked: true })];
    const { api } = await renderConversation(endingAgo(0, facts));
    await expect.element(story().getByText(/stopped without asking anything/)).toBeVisible();
    await story().getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });

  it('[U234] says nothing where the model asks', async () => {
    await renderConversation(endingAgo(0, [runCreated, running, idle('reply', 'It waits.')]));
    await expect.element(story().getByText(/without asking/)).not.toBeInTheDocument();
  });
});

describe('a run that the disk paused', () => {
  const paused = (code: ReasonCode, mount?: string) =>
    inConversation(toLog(RUN_ID, [runCreated, running, idle(code, 'It is gone.', mount ? { mount } : {})]));

  it.each([
    ['en', 'Folder not found.', 'Locate folder'],
    ['zh-CN', '未找到文件夹。', '定位文件夹'],
  ] as const)('[U234] leads to its folder, then resumes: %s', async (language, title, name) => {
    useAppearance.setState({ language });
    const { api } = await renderConversation(paused('FOLDER_NOT_FOUND', '@project'));
    await expect.element(page.getByText(title)).toBeVisible();
    await page.getByRole('button', { name }).click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
    expect(api.sent).toEqual([]);
  });

  it.each([
    ['DISK_FULL', 'The disk is full.', 'Free some space, then Resume.'],
    ['DISK_READ_ONLY', 'The folder or its disk is read-only.', 'Make it writable, then Resume.'],
    ['FOLDER_NOT_FOUND', 'Folder not found.', 'It is gone.'],
  ] as const)('[U234] says what to do, and can be resumed: %s', async (code, title, advice) => {
    const { api } = await renderConversation(paused(code, '@state'));
    await expect.element(story().getByText(title)).toBeVisible();
    await expect.element(story().getByText(advice)).toBeVisible();
    expect(story().getByRole('button', { name: 'Locate folder' }).elements()).toEqual([]);
    await story().getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });
});
