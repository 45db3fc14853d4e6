import type { RunFact } from '@crewagent/protocol/events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { inConversation } from '../../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

const scroller = (): HTMLElement => page.getByRole('region', { name: 'Timeline' }).element() as HTMLElement;

const section = (number: number): string =>
  `## Section ${number}\n\n${'What was **decided**, and why. '.repeat(12)}\n\n| a | b |\n| - | - |\n| 1 | ${number} |\n\n\`\`\`ts\nconst a = ${number};\n\`\`\`\n\n`;
const REPORT = `${Array.from({ length: 40 }, (_, at) => section(at + 1)).join('')}That was all.`;

const BEFORE: readonly RunFact[] = [
  runCreated,
  { type: 'phase.changed', phase: 'Running' },
  { type: 'turn.started', turn: 1, nodeId: 'step-01-intake', requestBytes: 1, estimatedTokens: 1 },
];
const COMPLETED: RunFact = {
  ...{ type: 'message.completed', role: 'assistant', purpose: 'reply', turn: 1, nodeId: 'step-01-intake' },
  content: REPORT,
};

const WAITS: RunFact = {
  type: 'phase.changed',
  phase: 'WaitingUser',
  reason: { code: 'reply', message: '' },
};

const toEvents = (facts: readonly RunFact[]) => inConversation(toLog(RUN_ID, [...facts]));
const AFTER = [COMPLETED, WAITS];

beforeAll(() => import('../../ui/markdown/formatted-markdown.tsx'));
afterEach(() => cleanup());

describe('a long reply', () => {
  it('[U29] stays mounted when it is complete, and is mounted near the view only', async () => {
    const { api } = await renderConversation(toEvents(BEFORE));
    for (let end = 900; end < REPORT.length; end += 900)
      api.tell({
        type: 'streaming',
        data: { runId: RUN_ID, text: REPORT.slice(0, end), reasoning: 'Think.' },
      });
    api.tell({ type: 'streaming', data: { runId: RUN_ID, text: REPORT, reasoning: 'Think.' } });
    await expect.element(page.getByText('That was all.')).toBeVisible();
    await expect.poll(() => scroller().querySelectorAll('article[aria-busy]').length).toBe(1);
    const inSight = (): Element[] =>
      [...scroller().querySelectorAll('article table')].filter((table) => {
        const { top, bottom } = table.getBoundingClientRect();
        return top > scroller().getBoundingClientRect().top && bottom < innerHeight;
      });
    await expect.poll(() => inSight().at(-1)?.textContent).toContain('40');
    const tables = inSight();
    const top = page.getByText('That was all.').element().getBoundingClientRect().top;

    for (const data of toLog(RUN_ID, [...BEFORE, ...AFTER]).slice(-AFTER.length))
      api.tell({ type: 'event', data });
    await expect.poll(() => scroller().querySelectorAll('article[aria-busy]').length).toBe(0);
    expect(inSight()).toEqual(tables);
    expect(tables.every(({ isConnected }) => isConnected)).toBe(true);
    expect(scroller().querySelectorAll('article table').length).toBeLessThan(20);
    expect(page.getByText('That was all.').element().getBoundingClientRect().top).toBeCloseTo(top, 0);
  });

  it('that arrives at once is mounted near its end only, then drawn where a person scrolls', async () => {
    const { api } = await renderConversation(toEvents(BEFORE));
    let mounted = 0;
    const count = new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element) mounted += node.querySelectorAll('article').length;
    });
    count.observe(scroller(), { childList: true, subtree: true });
    const text = Array.from({ length: 400 }, (_, at) => section(at + 1)).join('');
    api.tell({ type: 'streaming', data: { runId: RUN_ID, text: `${text}That was all.`, reasoning: '' } });
    await expect.element(page.getByText('That was all.')).toBeVisible();
    expect(mounted).toBeLessThan(20);
    scroller().scrollTop -= 20_000;
    await expect.poll(() => scroller().querySelectorAll('article table').length).toBeGreaterThan(1);
    count.disconnect();
  });

  it('[U15] looks the same when it is loaded, from its beginning to its end', async () => {
    await renderConversation(toEvents([...BEFORE, ...AFTER]));
    await expect.element(page.getByText('That was all.')).toBeVisible();
    await expect.poll(() => scroller().querySelectorAll('article h4').length).toBe(0);
    scroller().scrollTop = 0;
    await expect.element(page.getByRole('heading', { name: 'Section 1', exact: true })).toBeVisible();
    const seen = new Set<string>();
    const gaps = new Set<number>();
    await expect
      .poll(
        () => {
          const headings = [...scroller().querySelectorAll<HTMLElement>('article .prose > h2')];
          for (const heading of headings) {
            seen.add(heading.innerText);
            const above = heading.previousElementSibling ?? lastBlockBefore(heading);
            if (above)
              gaps.add(
                Math.round(heading.getBoundingClientRect().top - above.getBoundingClientRect().bottom),
              );
          }
          scroller().scrollTop += 300;
          return seen.size;
        },
        { interval: 60, timeout: 20_000 },
      )
      .toBe(40);
    // Between parts as within them.
    expect([...gaps].every((gap) => Math.abs(gap - Math.max(...gaps)) <= 1)).toBe(true);
  });

  it('[U29] keeps what is selected, from the beginning of the selection to its end', async () => {
    await renderConversation(toEvents([...BEFORE, ...AFTER]));
    await expect.element(page.getByText('That was all.')).toBeVisible();
    scroller().scrollTop = 0;
    const beginning = page.getByRole('heading', { name: 'Section 1', exact: true });
    await expect.element(beginning).toBeVisible();
    getSelection()?.collapse(beginning.element(), 0);
    // As with a pointer that is dragged down while the timeline scrolls.
    await expect
      .poll(
        () => {
          const last = [...scroller().querySelectorAll('article p')].at(-1);
          if (last) getSelection()?.extend(last, 1);
          scroller().scrollTop += 400;
          return last?.textContent;
        },
        { interval: 60, timeout: 20_000 },
      )
      .toContain('That was all.');
    const copied = getSelection()?.toString() ?? '';
    for (let number = 1; number <= 40; number++) expect(copied).toContain(`Section ${number}\n`);
    getSelection()?.removeAllRanges();
    await expect.poll(() => scroller().querySelectorAll('article table').length).toBeLessThan(20);
  });
});

/** The last block of the part above. */
function lastBlockBefore(heading: Element): Element | null | undefined {
  const rows = [...scroller().querySelectorAll('[data-key]')].sort(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
  );
  const at = rows.findIndex((row) => row.contains(heading));
  return rows[at - 1]?.querySelector('.prose')?.lastElementChild;
}
