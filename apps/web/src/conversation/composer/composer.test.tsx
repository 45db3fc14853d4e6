import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { RejectedError } from '../../api/work-api.ts';
import { PATH_TYPE } from '../../run/attachments/use-file-drop.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { Textarea } from '../../ui/forms/input.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { Composer, type ComposerProps } from './composer.tsx';

async function renderComposer(more: Partial<ComposerProps> = {}) {
  const sent: string[] = [];
  const screen = await render(
    <TooltipProvider>
      <div className="pt-80">
        <Composer
          isRunning={false}
          queuedInputs={0}
          draftName={crypto.randomUUID()}
          onSend={async (text) => void sent.push(text)}
          onStop={async () => void sent.push('STOP')}
          findFiles={async (query) =>
            ['@project/docs/brief.md', '@project/docs/plan.md'].filter((file) => file.includes(query))
          }
          {...more}
        />
      </div>
    </TooltipProvider>,
  );
  const area = page.getByRole('textbox', { name: 'Message' });
  await expect.element(area).toBeVisible();
  (area.element() as HTMLElement).focus();
  return { screen, sent, area };
}

describe('the composer', () => {
  it('[U110] sends with Enter, inserts a line break with Shift+Enter, and grows', async () => {
    const { sent, area } = await renderComposer();
    const height = area.element().clientHeight;
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two{Shift>}{Enter}{/Shift}three');
    await expect.poll(() => area.element().clientHeight).toBeGreaterThan(height);
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('');
    expect(sent).toEqual(['one\ntwo\nthree']);
    await userEvent.keyboard('  {Enter}');
    await expect.element(area).toHaveValue('  ');
    expect(sent.length).toBe(1);
  });

  it('[U110] keeps the text until it was accepted, and shows why it was not', async () => {
    const { area } = await renderComposer({ onSend: () => Promise.reject(new Error('The server is gone.')) });
    await userEvent.keyboard('precious{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('The server is gone.');
    await expect.element(area).toHaveValue('precious');
  });

  it('[U110] does not send twice', async () => {
    let release = (): void => undefined;
    const sent: string[] = [];
    await renderComposer({
      onSend: (text) => {
        sent.push(text);
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    await userEvent.keyboard('once{Enter}{Enter}');
    await expect.poll(() => sent).toEqual(['once']);
    release();
  });

  it('[U91] has Stop instead of Send during a turn; a message is queued', async () => {
    const { sent } = await renderComposer({ isRunning: true, queuedInputs: 1 });
    await expect.element(page.getByRole('button', { name: 'Send' })).not.toBeInTheDocument();
    await expect.element(page.getByText('1 message queued')).toBeVisible();
    await userEvent.keyboard('also this{Enter}');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => sent).toEqual(['also this', 'STOP']);
  });

  it('[U10] completes commands and files with the keyboard', async () => {
    const { screen, sent, area } = await renderComposer();
    await userEvent.keyboard('/re');
    await expect.element(page.getByRole('option', { name: /\/resume/ })).toBeVisible();
    expect(await findIssues(screen.container)).toEqual([]);
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('/resume ');
    expect(sent).toEqual([]);
    await userEvent.clear(area);
    await userEvent.keyboard('see @');
    await expect.element(page.getByRole('option', { name: 'docs/plan.md' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Tab}');
    await expect.element(area).toHaveValue('see @project/docs/plan.md ');
    await userEvent.keyboard('@b');
    await expect.element(page.getByRole('option')).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('option')).not.toBeInTheDocument();
  });

  it('has the right height when it is shown after having been hidden', async () => {
    const { container, rerender } = await render(
      <div style={{ display: 'none' }}>
        <Textarea aria-label="Message" value={'one\ntwo\nthree'} onChange={() => undefined} />
      </div>,
    );
    await rerender(
      <div style={{ display: 'block' }}>
        <Textarea aria-label="Message" value={'one\ntwo\nthree'} onChange={() => undefined} />
      </div>,
    );
    await expect.poll(() => container.querySelector('textarea')?.offsetHeight).toBeGreaterThan(50);
  });

  it('does not repeat a reason that the timeline shows', async () => {
    const refusal = { code: 'RUN_NOT_READY', message: 'Nothing to undo.' };
    const { area } = await renderComposer({ onSend: () => Promise.reject(new RejectedError(refusal)) });
    await userEvent.keyboard('/undo{Enter}');
    await expect.element(page.getByText(/the reason is shown above/)).toBeVisible();
    await expect.element(page.getByText('Nothing to undo.')).not.toBeInTheDocument();
    await expect.element(area).toHaveValue('/undo');
  });

  it('[U10] mentions a file dragged from the tree, and rejects other files', async () => {
    const { area } = await renderComposer();
    await userEvent.keyboard('compare');
    drop(area.element(), (data) => data.setData(PATH_TYPE, '@project/docs/my plan.md'));
    await expect.element(area).toHaveValue('compare `@project/docs/my plan.md` ');
    drop(area.element(), (data) => data.items.add(new File(['x'], '\u202eexe.docx')));
    await expect.element(page.getByText(/can’t be mentioned here/)).toBeVisible();
    expect(document.body.textContent).not.toContain('\u202e');
    await expect.element(area).toHaveValue('compare `@project/docs/my plan.md` ');
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.element(page.getByText(/can’t be mentioned here/)).not.toBeInTheDocument();
  });

  it('[U10] completes folders step by step', async () => {
    const { area } = await renderComposer({
      findFiles: (query) =>
        Promise.resolve(query === 'project/@docs/' ? ['@project/@docs/plan.md'] : ['@project/@docs/']),
    });
    await userEvent.keyboard('@d');
    await expect.element(page.getByRole('option', { name: '@project/@docs/' })).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('option', { name: '@project/@docs/plan.md' })).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('@project/@docs/plan.md ');
  });

  it('[U10] accepts only completions of the current text, and sends nothing meanwhile', async () => {
    let answer = (_: readonly string[]): void => undefined;
    const { area, sent } = await renderComposer({
      findFiles: (query) =>
        query === 'a'
          ? Promise.resolve(['@project/a.md'])
          : new Promise((resolve) => {
              answer = resolve;
            }),
    });
    await userEvent.keyboard('@a');
    await expect.element(page.getByRole('option', { name: 'a.md' })).toBeVisible();
    await userEvent.keyboard('b{Enter}{Tab}');
    await expect.element(area).toHaveValue('@ab');
    await expect.element(area).toHaveFocus();
    expect(sent).toEqual([]);
    answer(['@project/ab.md']);
    await expect.element(page.getByRole('option', { name: 'ab.md' })).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('@project/ab.md ');
  });

  it('[U110] keeps drafts, each under its name', async () => {
    const first = await renderComposer({ draftName: 'one' });
    await userEvent.keyboard('half a thought');
    await first.screen.unmount();
    const other = await renderComposer({ draftName: 'two' });
    await expect.element(other.area).toHaveValue('');
    await other.screen.unmount();
    const { area, sent } = await renderComposer({ draftName: 'one' });
    await expect.element(area).toHaveValue('half a thought');
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('');
    expect(sent).toEqual(['half a thought']);
    expect(sessionStorage.getItem('crewagent.draft.one')).toBeNull();
  });

  it.each([
    [900, true],
    [600, false],
  ])('[U110] shows its hint as a whole or not at all, %i px wide', async (width, isShown) => {
    const pickers = <span style={{ flex: 'none', width: 430 }}>Choices</span>;
    const { screen } = await renderComposer({ draftName: 'hint', pickers });
    screen.container.style.width = `${width}px`;
    const hint = page.getByText('/ for commands, @ for files').element();
    const status = hint.closest('[role=status]')?.getBoundingClientRect();
    const { top, right } = hint.getBoundingClientRect();
    expect(status && top < status.bottom).toBe(isShown);
    if (isShown) expect(right).toBeLessThanOrEqual(status?.right ?? 0);
  });

  it('[U110] is empty if its text was accepted while another screen was open', async () => {
    let accept = (): void => undefined;
    const onSend = () =>
      new Promise<void>((resolve) => {
        accept = resolve;
      });
    const first = await renderComposer({ draftName: 'slow', onSend });
    await userEvent.keyboard('said once{Enter}');
    await first.screen.unmount();
    const { area } = await renderComposer({ draftName: 'slow' });
    await expect.element(area).toHaveValue('said once');
    accept();
    await expect.element(area).toHaveValue('');
    expect(sessionStorage.getItem('crewagent.draft.slow')).toBeNull();
  });

  it('[U110] shows that a message is being sent, also after leaving the screen, and sends it once', async () => {
    const sent: string[] = [];
    let settle = { accept: (): void => undefined, refuse: (_: Error): void => undefined };
    const onSend = (text: string) => {
      sent.push(text);
      return new Promise<void>((accept, refuse) => {
        settle = { accept, refuse };
      });
    };
    const first = await renderComposer({ draftName: 'away', onSend });
    await userEvent.keyboard('said once{Enter}');
    await expect.element(page.getByText('Sending…')).toBeVisible();
    await first.screen.unmount();
    const elsewhere = await renderComposer({ draftName: 'elsewhere', onSend });
    await expect.element(page.getByText('Sending…')).not.toBeInTheDocument();
    await elsewhere.screen.unmount();
    const back = await renderComposer({ draftName: 'away', onSend });
    await expect.element(page.getByText('Sending…')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeDisabled();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => sent).toEqual(['said once']);
    await back.screen.unmount();
    settle.refuse(new Error('The server is gone.'));
    await renderComposer({ draftName: 'away', onSend });
    await expect.element(page.getByRole('alert')).toHaveTextContent('The server is gone.');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => sent.length).toBe(2);
    settle.accept();
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
  });

  it('[U110] keeps what was typed after the accepted text', async () => {
    let accept = (): void => undefined;
    const { area } = await renderComposer({
      onSend: () =>
        new Promise<void>((resolve) => {
          accept = resolve;
        }),
    });
    await userEvent.keyboard('first{Enter} and more');
    accept();
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeEnabled();
    await expect.element(area).toHaveValue('first and more');
  });

  it('[U110] sends queued messages at once, and offers only available commands', async () => {
    const sentNow: string[] = [];
    const { area } = await renderComposer({
      isRunning: true,
      commands: ['pause'],
      onSendNow: async (text) => void sentNow.push(text),
    });
    await userEvent.keyboard('/');
    await expect.element(page.getByRole('option')).toHaveTextContent('/pause');
    await userEvent.clear(area);
    await userEvent.keyboard('now');
    await page.getByRole('button', { name: 'Send now' }).click();
    await expect.element(area).toHaveValue('');
    expect(sentNow).toEqual(['now']);
  });
});

describe('attached files', () => {
  const stored = (): Pick<ComposerProps, 'attach' | 'detach'> & { readonly removed: string[] } => {
    const removed: string[] = [];
    return {
      removed,
      attach: async ({ name }) => `@project/attachments/${name}`,
      detach: async (path) => void removed.push(path),
    };
  };

  it('[U10] are stored when they are dropped or pasted, mentioned in the message, and removed again', async () => {
    const { removed, ...api } = stored();
    const { area, sent, screen } = await renderComposer(api);
    drop(area.element(), (data) => {
      data.items.add(new File(['x'], 'plan.pdf'));
      data.items.add(new File(['y'], 'notes.docx'));
    });
    await expect.element(area).toHaveValue('@project/attachments/plan.pdf @project/attachments/notes.docx ');
    expect(await findIssues(screen.container)).toEqual([]);
    await page.getByRole('button', { name: 'Remove “attachments/plan.pdf”' }).click();
    await expect.element(area).toHaveValue('@project/attachments/notes.docx ');
    expect(removed).toEqual(['@project/attachments/plan.pdf']);
    const data = new DataTransfer();
    data.items.add(new File(['z'], 'shot.png'));
    area
      .element()
      .dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    await expect.element(page.getByRole('button', { name: 'Remove “attachments/shot.png”' })).toBeEnabled();
    (area.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('list', { name: 'Attached files' })).not.toBeInTheDocument();
    expect(sent).toEqual(['@project/attachments/notes.docx @project/attachments/shot.png ']);
  });

  it('[U10] are listed as long as the message mentions them', async () => {
    const { area } = await renderComposer(stored());
    drop(area.element(), (data) => data.items.add(new File(['x'], 'plan.pdf')));
    const list = page.getByRole('list', { name: 'Attached files' });
    await expect.element(area).toHaveValue('@project/attachments/plan.pdf ');
    await expect.element(list).toBeVisible();
    await userEvent.fill(area, 'Without it');
    await expect.element(list).not.toBeInTheDocument();
    await userEvent.fill(area, 'With @project/attachments/plan.pdf');
    await expect.element(list).toBeVisible();
  });

  it('[U116] say for each file why it was not stored', async () => {
    const { area } = await renderComposer({ attach: () => Promise.reject(new Error('The disk is full.')) });
    drop(area.element(), (data) => data.items.add(new File(['x'], 'plan.pdf')));
    await expect.element(page.getByRole('alert')).toHaveTextContent('The disk is full.');
    await page.getByRole('button', { name: 'Remove “plan.pdf”' }).click();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
    await expect.element(area).toHaveValue('');
  });
});

function drop(target: Element, fill: (data: DataTransfer) => void): void {
  const dataTransfer = new DataTransfer();
  fill(dataTransfer);
  for (const type of ['dragover', 'drop'])
    target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}
