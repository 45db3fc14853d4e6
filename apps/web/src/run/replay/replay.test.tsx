import { isDelta } from '@crewagent/protocol/event-kinds';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { setMoment } from '../../navigation/moment.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { helloBranchLog, inConversation } from '../../testing/logs.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

const log = inConversation(helloBranchLog);
const stored = log.filter((event) => !isDelta(event));
const runId = helloBranchLog[0]?.runId ?? '';
const lastSeq = helloBranchLog.at(-1)?.seq ?? 0;
const answered = helloBranchLog.find(({ type }) => type === 'question.answered')?.seq ?? 0;

const slider = page.getByRole('slider', { name: 'Moment' });
const timeline = page.getByRole('region', { name: 'Timeline' });
const at = (seq: number): void => setMoment(`${runId}:${seq}`);
const press = (keys: string): Promise<void> => userEvent.keyboard(keys);

/** Such as a loop of a ResizeObserver, which a browser reports in its console. */
const complaints: string[] = [];
const note = ({ message }: ErrorEvent): void => void complaints.push(message);

describe('the replay of a run', () => {
  beforeEach(async () => {
    complaints.length = 0;
    addEventListener('error', note);
    await page.viewport(1440, 900);
  });
  afterEach(() => {
    setMoment(undefined);
    removeEventListener('error', note);
    expect(complaints).toEqual([]);
  });

  it('[U541] shows timeline, steps and state of the moment that the address names', async () => {
    at(answered);
    await renderConversation(log);
    await expect.element(slider).toHaveFocus();
    await expect
      .element(slider)
      .toHaveAttribute('aria-valuetext', expect.stringMatching(/^Event \d+ of \d+, Intake, /));
    await expect
      .element(page.getByRole('listitem').filter({ hasText: 'Intake' }).first())
      .toHaveAttribute('aria-current', 'step');
    await expect.element(timeline.getByText('Summarise and close')).not.toBeInTheDocument();
    await press('{End}');
    await expect.element(timeline.getByRole('heading', { name: 'Summarise and close' })).toBeInTheDocument();
    await expect.poll(() => location.search).toBe(`?at=${encodeURIComponent(`${runId}:${lastSeq}`)}`);
    expect(await findIssues()).toEqual([]);
  });

  it('[U541] is driven with the keyboard and offers nothing that would change the run', async () => {
    at(1);
    await renderConversation(log);
    await expect.element(slider).toHaveFocus();
    await press('{Shift>}{ArrowRight}{/Shift}');
    await expect.element(timeline.getByText('?', { exact: false }).first()).toBeInTheDocument();
    const first = slider.element() as HTMLInputElement;
    const decision = Number(first.value);
    await press('{ArrowLeft}');
    await expect.element(slider).toHaveValue(String(decision - 1));
    await press('{Home}');
    await expect.element(slider).toHaveValue('0');
    await expect.element(page.getByText('Nothing has happened yet')).toBeVisible();
    await expect
      .element(page.getByText('You are looking at an earlier moment.', { exact: false }))
      .toBeVisible();
    for (const name of ['Send', 'Stop', 'Resume', 'Undo', 'More'])
      expect(page.getByRole('button', { name, exact: true }).elements()).toEqual([]);
    expect(page.getByRole('textbox', { name: 'Message' }).elements()).toEqual([]);
  });

  it('[U541] plays from the start at a chosen speed, and Escape leaves it where the run is now', async () => {
    setMoment('start');
    await renderConversation(log);
    await page.getByRole('combobox', { name: 'Speed' }).selectOptions('64');
    // Nothing moves by itself for someone who asked for less motion.
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.element(slider).toHaveValue(String(stored.length - 1));
    await expect.element(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
    await press('{Escape}');
    await expect.element(slider).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: 'More', exact: true })).toBeVisible();
    expect(location.search).toBe('');
    await expect.element(page.getByRole('tab', { name: 'Conversation' })).toHaveFocus();
  });

  it('[U541] begins from the menu of the run and from its overview', async () => {
    await renderConversation(log);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Replay' }).click();
    await expect.element(slider).toBeVisible();
    await press('{Escape}');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await expect.element(slider).toBeVisible();
  });

  it('[U541] keeps the overview where the run has not begun', async () => {
    setMoment('1');
    await renderConversation(log);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await expect.element(page.getByText('Nothing has happened yet').last()).toBeVisible();
    await expect.element(page.getByRole('tab', { name: 'Overview', selected: true })).toBeVisible();
    (slider.element() as HTMLElement).focus();
    await press('{End}');
    await expect.element(page.getByRole('group', { name: /^Summarise and close, done/ })).toBeVisible();
  });

  it('[U541] says that the log could not be loaded, and can be left', async () => {
    at(1);
    await renderConversation(log, { log: () => Promise.reject(new Error('gone')) });
    await expect.element(page.getByText('The log could not be loaded')).toBeVisible();
    await page.getByRole('button', { name: 'Leave the replay' }).click();
    await expect.element(page.getByRole('button', { name: 'More', exact: true })).toBeVisible();
  });
});
