import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { findFaults } from '../testing/find-faults.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { Composer, type ComposerProps } from './composer.tsx';

async function renderComposer(more: Partial<ComposerProps> = {}) {
  const sent: string[] = [];
  const screen = await render(
    <TooltipProvider>
      <div className="pt-80">
        <Composer
          isRunning={false}
          queuedInputs={0}
          onSend={async (text) => void sent.push(text)}
          onStop={async () => void sent.push('STOP')}
          findFiles={async (query) =>
            ['docs/brief.md', 'docs/plan.md'].filter((file) => file.includes(query))
          }
          {...more}
        />
      </div>
    </TooltipProvider>,
  );
  const area = page.getByRole('textbox', { name: 'Message' });
  await area.click();
  return { screen, sent, area };
}

describe('the composer', () => {
  it('[U31] sends with Enter, breaks with Shift+Enter, and grows', async () => {
    const { sent, area } = await renderComposer();
    const height = area.element().clientHeight;
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two{Shift>}{Enter}{/Shift}three');
    expect(area.element().clientHeight).toBeGreaterThan(height);
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('');
    expect(sent).toEqual(['one\ntwo\nthree']);
    await userEvent.keyboard('  {Enter}');
    expect(sent.length).toBe(1);
  });

  it('[U31] keeps the text until it was accepted, and says why it was not', async () => {
    const { area } = await renderComposer({ onSend: () => Promise.reject(new Error('The server is gone.')) });
    await userEvent.keyboard('precious{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('The server is gone.');
    await expect.element(area).toHaveValue('precious');
  });

  it('[U31] does not send twice', async () => {
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
    expect(sent).toEqual(['once']);
    release();
  });

  it('[U32] has Stop instead of Send while something runs; what is written is added', async () => {
    const { sent } = await renderComposer({ isRunning: true, queuedInputs: 1 });
    await expect.element(page.getByRole('button', { name: 'Send' })).not.toBeInTheDocument();
    await expect.element(page.getByText('1 message waits')).toBeVisible();
    await userEvent.keyboard('also this{Enter}');
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(sent).toEqual(['also this', 'STOP']);
  });

  it('[U10] completes commands and files with the keyboard', async () => {
    const { screen, sent, area } = await renderComposer();
    await userEvent.keyboard('/re');
    await expect.element(page.getByRole('option', { name: /\/resume/ })).toBeVisible();
    expect(await findFaults(screen.container)).toEqual([]);
    await userEvent.keyboard('{Enter}');
    await expect.element(area).toHaveValue('/resume ');
    expect(sent).toEqual([]);
    await userEvent.clear(area);
    await userEvent.keyboard('see @');
    await expect.element(page.getByRole('option', { name: 'docs/plan.md' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Tab}');
    await expect.element(area).toHaveValue('see @docs/plan.md ');
    await userEvent.keyboard('@b');
    await expect.element(page.getByRole('option')).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('option')).not.toBeInTheDocument();
  });
});
