import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { toShownStory } from '../../../state/conversation-store.ts';
import { agentStoryLog, conversationIdOf, helloBranchLog } from '../../../testing/logs.ts';
import { renderServed } from '../../../testing/served.tsx';
import { LogPanel } from './log-panel.tsx';

describe('the log', () => {
  it.each([
    [
      'a run',
      helloBranchLog,
      [
        'Hand-over as PDF',
        'Hand-over as Word file',
        'Hand-over as web page',
        'Export run as Markdown',
        'Export run as JSON',
        'Export log',
        'One file (.crewrun)',
      ],
      'Message',
    ],
    ['a thread', agentStoryLog, ['Export log', 'One file (.crewrun)'], 'Agent joined'],
  ] as const)('[U70] of %s is verified, in words, and can be exported', async (_, log, formats, word) => {
    const id = log[0]?.type === 'run.created' ? log[0].runId : conversationIdOf(log);
    const events = log.filter(({ runId }) => runId === id);
    const view = toShownStory(foldStory(id, events));
    await renderServed(
      {
        works: {
          log: () => Promise.resolve({ events, lastSeq: view.lastSeq }),
          checkLog: ({ workId }: { workId: string }) =>
            Promise.resolve({ lastSeq: view.lastSeq, isIntact: workId === id }),
        },
      },
      <div className="h-96">
        <LogPanel projectId="p" view={view} />
      </div>,
    );
    await expect.element(page.getByText('The log is intact')).toBeVisible();
    await expect.element(page.getByText(word, { exact: true }).first()).toBeVisible();
    expect(page.getByText('phase.changed', { exact: true }).elements()).toEqual([]);
    // Steps have their titles; what a model said is as it was said.
    const lines = [...document.querySelectorAll('bdi')].map(({ textContent }) => textContent);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => /^(?!Reply).*\b(?:step|end|decide)-\d/.test(line))).toEqual([]);
    await page.getByRole('button', { name: 'Export' }).click();
    const items = page.getByRole('menuitem');
    await expect.element(items.last()).toHaveTextContent('One file (.crewrun)');
    expect(items.elements().map((item) => item.textContent)).toEqual(formats);
  });
});
