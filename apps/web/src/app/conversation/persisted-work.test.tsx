import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { setFileDraft } from '../../state/file-drafts.ts';
import { openFile, showFile } from '../../state/open-files.ts';
import { inConversation } from '../../testing/logs.ts';
import { asking, eventful, longLog, RUN_ID, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';
import { App } from '../app.tsx';

const FILE = '@project/docs/brief.md';
const askingLog = inConversation(toLog(RUN_ID, asking));
const scroller = (): HTMLElement => page.getByRole('region', { name: 'Timeline' }).element() as HTMLElement;

/** Everything that changes the layout around the conversation, and back. */
const looksElsewhere: readonly (readonly [string, () => Promise<void>])[] = [
  ['the inspector is hidden', () => userEvent.keyboard('{Control>}i{/Control}')],
  ['a side panel is shown', () => page.getByRole('button', { name: 'Files', exact: true }).click()],
  ['the window gets narrower', () => page.viewport(1000, 800)],
  ['the window gets narrow', () => page.viewport(390, 800)],
  ['a file was looked at', lookAtFile],
];

async function lookAtFile(): Promise<void> {
  openFile('p', FILE);
  await expect.element(page.getByRole('tab', { name: 'brief.md' })).toHaveAttribute('aria-selected', 'true');
  await expect.element(page.getByRole('textbox', { name: 'Message' })).not.toBeInTheDocument();
  showFile('p', undefined);
}

afterEach(() => page.viewport(1280, 800));

describe('typed text', () => {
  it.each(looksElsewhere)('[U110] is kept when %s', async (_, look) => {
    await renderConversation(askingLog);
    const name = page.getByRole('textbox', { name: 'What is the project called?' });
    await name.fill('Larder');
    const field = name.element();
    await look();
    await expect.element(name).toHaveValue('Larder');
    // The same element: it was not remounted.
    expect(name.element()).toBe(field);
  });

  it('[U110] for an approval is kept after opening a file', async () => {
    await renderConversation(inConversation(toLog(RUN_ID, eventful)));
    const note = page.getByRole('textbox', { name: /Note to the model/ });
    await note.fill('Keep the title.');
    await lookAtFile();
    await expect.element(note).toHaveValue('Keep the title.');
  });

  it('[U110] in answers is kept after returning to the conversation, until it was sent', async () => {
    const first = await renderConversation(askingLog);
    const name = page.getByRole('textbox', { name: 'What is the project called?' });
    await name.fill('Larder');
    await first.screen.unmount();
    await renderConversation(askingLog);
    await expect.element(name).toHaveValue('Larder');
  });
});

describe('the timeline', () => {
  it('[U110] keeps its position after opening a file', async () => {
    await renderConversation(inConversation(longLog(400)));
    await expect.poll(() => scroller().scrollTop).toBeGreaterThan(2000);
    scroller().scrollTop -= 1500;
    await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
    const before = scroller().scrollTop;
    await lookAtFile();
    await expect.poll(() => Math.abs(scroller().scrollTop - before)).toBeLessThan(3);
    await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
  });
});

describe('the page', () => {
  it('[U110] has unique ids', async () => {
    await renderConversation(askingLog);
    await expect.element(page.getByRole('tab', { name: 'Progress' })).toBeVisible();
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('[U110] asks before it is left with unsaved changes, on every screen', async () => {
    history.replaceState(undefined, '', '/settings');
    await render(<App client={undefined} />);
    const isAsked = (): boolean => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(isAsked()).toBe(false);
    setFileDraft('p', FILE, { text: 'x', baseSha256: null, encoding: 'utf8', lineEnding: 'lf' });
    expect(isAsked()).toBe(true);
    setFileDraft('p', FILE, undefined);
    expect(isAsked()).toBe(false);
  });

  it('[U110] stays when a file is dropped outside a drop target; dragged text is not affected', async () => {
    await render(<App client={undefined} />);
    const isAccepted = (type: string, fill: (data: DataTransfer) => void): boolean => {
      const dataTransfer = new DataTransfer();
      fill(dataTransfer);
      return !document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      );
    };
    for (const type of ['dragover', 'drop']) {
      expect(isAccepted(type, (data) => data.items.add(new File(['x'], 'x.pdf')))).toBe(true);
      expect(isAccepted(type, (data) => data.setData('text/plain', 'x'))).toBe(false);
    }
  });
});
