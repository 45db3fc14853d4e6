import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { UndoneFile } from '@crewagent/protocol/journal';
import { toLastPage } from '@crewagent/protocol/story/pages';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { agentStoryLog, conversationIdOf, helloBranchLog, inConversation } from '../../testing/logs.ts';
import { DIFF, eventful, hostile, longLog, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

const eventfulLog = inConversation(toLog(RUN_ID, eventful));
const story = () => page.getByRole('region', { name: 'Timeline' });
const scroller = (): HTMLElement => story().element() as HTMLElement;

/** Text of a line without the names of its icons. */
function nameOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return copy.textContent ?? '';
}

/** Rows are rendered after the scroller moved: on a busy machine it is empty for a while. */
function hasRowsInSight(): boolean {
  const { top, bottom } = scroller().getBoundingClientRect();
  const rows = [...scroller().querySelectorAll('[data-key]')].map((row) => row.getBoundingClientRect());
  return rows.some((row) => row.bottom > top && row.top < bottom);
}

/** The text on the screen once nothing moves. */
async function settledText(): Promise<string> {
  let last = '';
  await expect
    .poll(
      () => {
        const now = scroller().innerHTML;
        const isSame = now === last;
        last = now;
        return isSame;
      },
      { interval: 150 },
    )
    .toBe(true);
  return last.replaceAll(/radix-[^"]*|_r_\w+_/g, '');
}

/** Every row as rendered, from first to last. */
async function allRows(): Promise<ReadonlyMap<string, string>> {
  await settledText();
  const rows = new Map<string, string>();
  for (let top = 0; top < scroller().scrollHeight; top += 500) {
    scroller().scrollTop = top;
    await expect.poll(hasRowsInSight).toBe(true);
    await settledText();
    for (const row of scroller().querySelectorAll<HTMLElement>('[data-key]')) {
      rows.set(row.dataset.key ?? '', row.innerHTML.replaceAll(/_r_\w+_/g, ''));
    }
  }
  return rows;
}

// Preloaded: a row rendered without it looks different.
beforeAll(() => import('../../ui/markdown/formatted-markdown.tsx'));
afterEach(() => cleanup());

describe('the timeline', () => {
  it.each([
    ['an agent and its run', agentStoryLog],
    ['a run with questions', inConversation(helloBranchLog)],
    ['everything else', eventfulLog],
  ])('[U15] looks the same live and reloaded: %s', async (_, log) => {
    const first = await renderConversation(log.slice(0, 3));
    for (const data of log.slice(3)) first.api.tell({ type: 'event', data });
    const seenLive = await allRows();
    await first.screen.unmount();
    await renderConversation(log.filter(({ type }) => !type.endsWith('.delta')));
    expect(await allRows()).toEqual(seenLive);
    expect(seenLive.size).toBeGreaterThan(5);
  });

  it.each(['light', 'dark'] as const)('[U20] has no axe violations in the %s theme', async (theme) => {
    useAppearance.setState({ theme });
    await renderConversation(eventfulLog);
    await settledText();
    await expect.element(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U16] expands a call to arguments and result, a write to its diff', async () => {
    await renderConversation(eventfulLog);
    await expect.poll(hasRowsInSight).toBe(true);
    scroller().scrollTop = 0;
    const write = page.getByRole('button', { name: /Wrote/ });
    await expect.element(write).not.toHaveTextContent(/lines added/);
    await write.click();
    await expect
      .element(page.getByRole('group', { name: 'Text' }))
      .toHaveTextContent('Larder, a shared pantry list.');
    await page.getByRole('button', { name: /Read 2 files/ }).click();
    await page.getByRole('button', { name: /Read docs\/brief\.md/ }).click();
    await expect.element(page.getByRole('group', { name: 'Asked for' })).toHaveTextContent('docs/brief.md');
    await expect.element(page.getByRole('group', { name: 'Result' })).toHaveTextContent('# Brief');
  });

  it.each([
    ['run', 'ok', /^Changed ?docs\/plan\.md ?allowed for this run ?4 lines added, 2 removed/],
    ['no', 'refused', /^Did not change ?docs\/plan\.md ?declined$/],
  ] as const)('[U16] shows a change and its approval on one line: %s', async (decision, outcome, line) => {
    const call = { callId: 'c10', tool: 'fs.apply_patch', path: '@project/docs/plan.md' };
    const content = JSON.stringify(
      outcome === 'ok'
        ? { ok: true, diff: DIFF }
        : { ok: false, error: { code: 'TOOL_REFUSED', message: 'No.' } },
    );
    const { api } = await renderConversation(eventfulLog);
    const row = page.getByRole('button', { name: /docs\/plan\.md/ });
    await expect.element(row).toHaveAccessibleName(/^Changing ?docs\/plan\.md ?needs your approval/);
    const facts: RunFact[] = [
      { type: 'approval.resolved', ...call, decision, note: 'Keep the <title>.' },
      { type: 'tool.ended', callId: 'c10', name: call.tool, outcome, durationMs: 99, content },
    ];
    for (const data of toLog(RUN_ID, [...eventful, ...facts]).slice(-2)) api.tell({ type: 'event', data });
    await expect.poll(() => row.elements().map((it) => nameOf(it))).toEqual([expect.stringMatching(line)]);
    await expect.element(page.getByText('Your note: “Keep the <title>.”')).toBeVisible();
    await row.click();
    await expect.element(story().getByText('We start from nothing.')).toBeVisible();
    await expect.element(page.getByText('This was rejected.')).not.toBeInTheDocument();
    await expect.element(page.getByText('99ms')).not.toBeInTheDocument();
  });

  it('shows the header of a step above its first streaming reply, and does not move it afterwards', async () => {
    const facts: RunFact[] = [runCreated, { type: 'phase.changed', phase: 'Running' }];
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)));
    api.tell({ type: 'streaming', data: { runId: RUN_ID, text: 'Welcome.', reasoning: '' } });
    await expect.element(story().getByText('Welcome.')).toBeVisible();
    const topOf = (): number => story().getByText('Welcome.').element().getBoundingClientRect().top;
    expect(story().getByRole('heading', { name: 'Intake' }).elements()).toHaveLength(1);
    const top = topOf();
    const later: RunFact[] = [
      {
        type: 'message.completed',
        role: 'assistant',
        purpose: 'reply',
        turn: 1,
        nodeId: 'step-01-intake',
        content: 'Welcome.',
      },
    ];
    for (const data of toLog(RUN_ID, [...facts, ...later]).slice(-1)) api.tell({ type: 'event', data });
    await expect.poll(() => scroller().querySelectorAll('[data-key]').length).toBeGreaterThan(2);
    expect(story().getByRole('heading', { name: 'Intake' }).elements()).toHaveLength(1);
    expect(Math.abs(topOf() - top)).toBeLessThan(3);
  });

  it('[U16] shows transitions quietly, with their labels and variables, or with all notes, as chosen', async () => {
    await renderConversation(eventfulLog);
    const labels = () =>
      story()
        .getByText(/variables? set/)
        .elements().length;
    await expect.poll(hasRowsInSight).toBe(true);
    scroller().scrollTop = 1_000_000;
    await settledText();
    expect(labels()).toBe(0);
    useAppearance.setState({ detail: 'normal' });
    await expect.poll(labels).toBeGreaterThan(0);
  });

  it('has headings of three sizes, little larger than its text', async () => {
    const reply = { type: 'message.completed', role: 'assistant', purpose: 'reply', turn: 1 } as const;
    await renderConversation(
      inConversation(
        toLog(RUN_ID, [
          runCreated,
          { ...reply, content: '# A title\n\n## A part\n\n### A point\n\nSome words.' },
        ]),
      ),
    );
    const sizeOf = (text: string): number =>
      Number.parseFloat(getComputedStyle(page.getByText(text, { exact: true }).element()).fontSize);
    await expect.element(page.getByRole('heading', { name: 'A title' })).toBeVisible();
    const sizes = ['A title', 'A part', 'A point', 'Some words.'].map(sizeOf);
    expect(new Set(sizes).size).toBe(4);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(sizeOf('A title') / sizeOf('Some words.')).toBeLessThan(1.3);
    // [U36] The column is centered like the composer, whether or not a scrollbar is shown.
    const { scrollbarGutter } = getComputedStyle(page.getByRole('region', { name: 'Timeline' }).element());
    expect(scrollbarGutter).toBe('stable both-edges');
  });

  it('[U16] shows a transition with its reason and values, and a rejected one with its error message', async () => {
    await renderConversation(eventfulLog);
    await expect
      .element(page.getByText('You mentioned a service from 2024 whose data must stay.'))
      .toBeVisible();
    await page
      .getByRole('button', { name: /Intake to Decide the project type/ })
      .last()
      .click();
    await expect.element(page.getByText('projectName')).toBeVisible();
    await expect.element(page.getByText(/Feedback to the model:/)).toBeInTheDocument();
  });

  it('[U33] shows the answers to a form by the titles of its fields', async () => {
    const schema = { properties: { budget: { title: 'Budget in EUR' }, isFixed: { title: 'Fixed' } } };
    const answers = { more: { budget: 1000, isFixed: true }, rest: null };
    const facts: RunFact[] = [
      runCreated,
      {
        type: 'question.asked',
        callId: 'q1',
        questions: [
          { id: 'more', prompt: 'A few details', type: 'form', schema },
          { id: 'rest', prompt: 'Anything else?', type: 'text' },
        ],
      },
      { type: 'question.answered', callId: 'q1', answers },
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(page.getByText('Budget in EUR: 1000 Fixed: Yes')).toBeVisible();
    await expect.element(page.getByText('Skipped')).toBeVisible();
  });

  it('[U5] shows what a problem is, why, and what to do; the code is behind a fold', async () => {
    const facts: RunFact[] = [
      runCreated,
      {
        type: 'phase.changed',
        phase: 'WaitingUser',
        reason: { code: 'LLM_AUTH_FAILED', message: 'The provider answered 401.' },
      },
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(page.getByText('The provider rejected the key.')).toBeVisible();
    await expect.element(page.getByText('The provider answered 401.')).toBeVisible();
    await expect.element(page.getByText('Check the key in Settings, then resume.')).toBeVisible();
    await expect.element(page.getByText('LLM_AUTH_FAILED')).not.toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('服务商拒绝了此密钥。')).toBeVisible();
  });

  it('[U16] shows an unreachable model once, with the number of attempts and the actions', async () => {
    const failure = { code: 'LLM_HTTP_ERROR', message: 'models.example.com cannot be reached.' } as const;
    const facts: RunFact[] = [
      runCreated,
      ...[1, 2, 3, 4].map(
        (attempt): RunFact => ({ type: 'llm.retry', turn: 1, attempt, delayMs: 1, ...failure }),
      ),
      { type: 'error', ...failure },
      { type: 'phase.changed', phase: 'WaitingUser', reason: failure },
    ];
    const binding = { menu: async () => [], setModel: async () => undefined, turnTo: async () => undefined };
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)), { binding });
    await expect.element(page.getByText(/^Tried 4 times/)).toBeVisible();
    expect(page.getByText(failure.message).elements()).toHaveLength(1);
    await expect.element(page.getByRole('button', { name: 'Choose another model' })).toBeVisible();
    await page.getByRole('alert').getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });

  it('[U91] marks queued messages, and shows them below the streaming reply', async () => {
    const facts: RunFact[] = [
      runCreated,
      { type: 'phase.changed', phase: 'Running' },
      { type: 'input.queued', content: 'In short, please!' },
    ];
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)));
    api.tell({ type: 'streaming', data: { runId: RUN_ID, text: 'At length it is so.', reasoning: '' } });
    const isBeneath = (upper: string, lower: string): boolean =>
      story().getByText(upper).element().getBoundingClientRect().bottom <
      story().getByText(lower).element().getBoundingClientRect().top;
    await expect.element(story().getByText('At length it is so.')).toBeVisible();
    await expect.element(story().getByText('Queued for the next turn')).toBeVisible();
    expect(isBeneath('At length it is so.', 'In short, please!')).toBe(true);
    const reply = { type: 'message.completed', role: 'assistant', purpose: 'reply', turn: 1 } as const;
    const later: RunFact[] = [
      { ...reply, content: 'At length it is so.' },
      { type: 'message.completed', role: 'user', purpose: 'input', content: 'In short, please!' },
      { ...reply, turn: 2, content: 'It is so.' },
    ];
    for (const data of toLog(RUN_ID, [...facts, ...later]).slice(-later.length))
      api.tell({ type: 'event', data });
    await expect.element(story().getByText('It is so.', { exact: true })).toBeVisible();
    await expect.element(story().getByText('Queued for the next turn')).not.toBeInTheDocument();
    expect(isBeneath('At length it is so.', 'In short, please!')).toBe(true);
    expect(story().getByText('In short, please!').elements()).toHaveLength(1);
  });

  it('[U91] resumes an interrupted run from its row, whatever messages are queued', async () => {
    const facts: RunFact[] = [
      runCreated,
      { type: 'input.queued', content: 'And then?' },
      { type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'interrupted', message: '' } },
    ];
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(page.getByText('Nothing was lost. Resume to continue from here.')).toBeVisible();
    await expect.element(story().getByText('And then?')).toBeVisible();
    await story().getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => api.sent).toEqual([['resume']]);
  });

  it('[U66] counts undone changes, and gives the reason for a failed one once and in one language', async () => {
    const undone = (...files: UndoneFile[]): RunFact => ({
      type: 'changes.undone',
      direction: 'undo',
      selection: { all: true },
      files,
    });
    const conflict: UndoneFile = {
      path: '@project/a.md',
      outcome: 'conflict',
      reason: 'It was changed since.',
    };
    const failed: UndoneFile = { path: '@project/c.md', outcome: 'failed', reason: 'The disk is full.' };
    const restored: UndoneFile = { path: '@project/b.md', outcome: 'restored' };
    const facts = [runCreated, undone(conflict), undone(conflict, restored, failed)];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(story().getByText('No files changed')).toBeVisible();
    await expect.element(story().getByText(/1 file$/)).toBeVisible();
    await expect.element(story().getByText('The disk is full.')).toBeVisible();
    await expect.element(story().getByText('It was changed since.')).not.toBeInTheDocument();
  });

  it('[U7] shows hostile text as text, everywhere, expanded or not', async () => {
    await renderConversation(inConversation(toLog(RUN_ID, hostile)));
    await settledText();
    for (let top = 0; top < scroller().scrollHeight; top += 400) {
      scroller().scrollTop = top;
      for (const fold of scroller().querySelectorAll<HTMLElement>('button[aria-expanded=false]'))
        fold.click();
      await settledText();
      expect(document.querySelectorAll('script[src=x], iframe[src*=evil], img, #root script').length).toBe(0);
      expect(document.body.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    }
    expect('wasHacked' in globalThis).toBe(false);
    expect(document.body.textContent).toContain('$t(action.close)');
  });

  it('[U29] shows a megabyte from a tool in parts', async () => {
    const facts: RunFact[] = [
      runCreated,
      {
        type: 'message.completed',
        turn: 1,
        role: 'assistant',
        purpose: 'reply',
        nodeId: 'step-01-intake',
        content: '',
        toolCalls: [{ id: 'big', name: 'fs.read', arguments: '{"path":"@project/big.txt"}' }],
      },
      {
        type: 'tool.ended',
        callId: 'big',
        name: 'fs.read',
        outcome: 'ok',
        durationMs: 3,
        content: JSON.stringify({ ok: true, content: 'x'.repeat(1_000_000) }),
      },
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await page.getByRole('button', { name: /Read big\.txt/ }).click();
    const result = page.getByRole('group', { name: 'Result' });
    await expect.element(result).toBeVisible();
    expect(result.element().textContent?.length).toBeLessThan(25_000);
    await page.getByRole('button', { name: /Show more/ }).click();
    await expect.poll(() => result.element().textContent?.length).toBeGreaterThan(200_000);
  });

  it('[U29] mounts only the visible rows of ten thousand events', async () => {
    await renderConversation(inConversation(longLog(10_000)));
    await expect.element(page.getByText('Turn 2500.')).toBeVisible();
    expect(scroller().querySelectorAll('article').length).toBeLessThan(80);
    scroller().scrollTop = 0;
    await expect.element(page.getByText('Turn 1.', { exact: true })).toBeVisible();
  });

  it('loads earlier items when the user scrolls up to them, and stays where the user was', async () => {
    const log = inConversation(longLog(1_100));
    const { api } = await renderConversation(log);
    const work = createWorkStory(conversationIdOf(log));
    for (const event of log) addToWorkStory(work, event);
    const runs = [...work.runs].map(([id, run]) => [id, toLastPage(run)] as const);
    api.tell({ type: 'snapshot', data: { ...work, view: work.own, runs: Object.fromEntries(runs) } });
    await expect.element(page.getByText('Turn 275.')).toBeVisible();
    const first = page.getByText('Turn 1.', { exact: true });
    const positions: number[] = [];
    const scrollUp = (): boolean => {
      positions.push(scroller().scrollTop);
      scroller().scrollTop = 0;
      return first.query() !== null;
    };
    await expect.poll(scrollUp, { timeout: 20_000 }).toBe(true);
    expect(positions.slice(1).some((top) => top > 2_000)).toBe(true);
    await expect.element(page.getByText('Turn 1.', { exact: true })).toBeVisible();
  });

  it('[U29] follows new rows at the end, and keeps the position of a user who scrolled up', async () => {
    const log = inConversation(longLog(400));
    const { api } = await renderConversation(log);
    await settledText();
    const isAtEnd = (): boolean =>
      scroller().scrollHeight - scroller().scrollTop - scroller().clientHeight < 4;
    expect(isAtEnd()).toBe(true);
    const stream = (text: string): void =>
      api.tell({ type: 'streaming', data: { runId: RUN_ID, text, reasoning: '' } });
    stream('word '.repeat(800));
    await settledText();
    expect(isAtEnd()).toBe(true);
    await userEvent.hover(story());
    scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -600 }));
    scroller().scrollTop -= 600;
    const back = page.getByRole('button', { name: 'Jump to latest' });
    await expect.element(back).toBeVisible();
    const before = scroller().scrollTop;
    stream('word '.repeat(1_600));
    await settledText();
    expect(Math.abs(scroller().scrollTop - before)).toBeLessThan(3);
    await back.click();
    await expect.poll(isAtEnd).toBe(true);
  });

  it('[U29] scrolls to the user’s own message, wherever the timeline was scrolled to', async () => {
    await renderConversation(inConversation(longLog(300)));
    await expect.poll(hasRowsInSight).toBe(true);
    scroller().scrollTop = 0;
    const toEnd = page.getByRole('button', { name: 'Jump to latest' });
    await expect.element(toEnd).toBeVisible();
    await page.getByRole('textbox', { name: 'Message' }).fill('And this?');
    await userEvent.keyboard('{Enter}');
    await expect.element(toEnd).not.toBeInTheDocument();
  });

  it('marks the first row that arrived while the user was scrolled up, each time', async () => {
    const log = inConversation(longLog(400));
    const { api } = await renderConversation(log);
    await settledText();
    const marker = page.getByText('New', { exact: true });
    const lookAway = async (): Promise<void> => {
      scroller().scrollTop -= 900;
      await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
    };
    let seq = Math.max(...log.map((event) => event.seq));
    const say = (text: string): void =>
      api.tell({
        type: 'event',
        data: {
          v: 1,
          seq: ++seq,
          ts: '2026-01-01T00:00:00.000Z',
          runId: RUN_ID,
          type: 'message.completed',
          role: 'assistant',
          purpose: 'reply',
          content: text,
        },
      });
    await lookAway();
    say('First news.');
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await expect.element(page.getByText('First news.')).toBeVisible();
    await expect.element(marker).not.toBeInTheDocument();
    await lookAway();
    say('Second news.');
    await settledText();
    scroller().scrollTop += 780;
    const rows = (): string[] =>
      [...scroller().querySelectorAll<HTMLElement>('[data-key]')].map((row) => row.innerText);
    await expect
      .poll(() =>
        rows()
          .filter((text) => text.startsWith('New'))
          .map((text) => text.includes('Second news.')),
      )
      .toEqual([true]);
  });

  it('shows how long the model reasoned, if known', async () => {
    const reply = { type: 'message.completed', role: 'assistant', purpose: 'reply', turn: 1 } as const;
    const log = inConversation(
      toLog(RUN_ID, [
        runCreated,
        { type: 'turn.started', turn: 1, requestBytes: 1, estimatedTokens: 1 },
        { ...reply, content: 'Short.', reasoning: 'A thought. '.repeat(1_000) },
      ]),
    ).map((event) => ({
      ...event,
      ts: event.type === 'message.completed' ? '2026-01-01T00:00:12.000Z' : '2026-01-01T00:00:00.000Z',
    }));
    await renderConversation(log);
    await expect.element(page.getByRole('button', { name: 'Thought for 12s' })).toBeVisible();
  });

  it('[V28] offers to resume a run where it was left last, unless it is complete', async () => {
    const log = inConversation(toLog(RUN_ID, [runCreated, { type: 'phase.changed', phase: 'WaitingUser' }]));
    const [created, entered] = log;
    if (!created || entered?.type !== 'run.entered') throw new Error('not a conversation');
    const left = (seq: number): RunEvent => ({ ...created, seq, type: 'run.left', leftRunId: RUN_ID });
    const { api } = await renderConversation([...log, left(3), { ...entered, seq: 4, afterSeq: 2 }, left(5)]);
    const resume = page.getByRole('button', { name: 'Resume', exact: true });
    await expect.poll(() => resume.elements().length).toBe(1);
    await resume.click();
    await expect.poll(() => api.sent).toEqual([['input', `/resume ${RUN_ID}`]]);
  });
});
