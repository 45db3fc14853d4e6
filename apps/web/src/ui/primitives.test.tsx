import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { PrimitivesScene } from '../testing/primitives-scene.tsx';
import { Button } from './button.tsx';
import { Textarea } from './forms/input.tsx';
import { Toasts } from './overlays/toasts.tsx';
import { TooltipProvider } from './tooltip.tsx';

async function renderScene() {
  const screen = await render(
    <TooltipProvider>
      <PrimitivesScene />
      <Toasts />
    </TooltipProvider>,
  );
  await expect.element(page.getByText('Some bold words')).toBeVisible();
  return screen;
}

const focused = (): string =>
  document.activeElement?.textContent || document.activeElement?.getAttribute('aria-label') || '';

describe('primitives', () => {
  it.each(['light', 'dark'] as const)('[U20] have no axe violations in the %s theme', async (theme) => {
    useAppearance.setState({ theme });
    await renderScene();
    expect(await findIssues()).toEqual([]);
  });

  it('[U5] names the region of messages in the language of the page', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    await renderScene();
    await expect.element(page.getByRole('region', { name: '通知 (F8)' })).toBeInTheDocument();
  });

  it('[U20] a busy button keeps the focus, and does nothing', async () => {
    const done: string[] = [];
    const form = (isBusy: boolean) => (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          done.push('submitted');
        }}
      >
        <Button type="submit" isBusy={isBusy} onClick={() => done.push('clicked')}>
          Save
        </Button>
      </form>
    );
    const { rerender } = await render(form(false));
    const save = page.getByRole('button', { name: 'Save' });
    (save.element() as HTMLElement).focus();
    await rerender(form(true));
    await userEvent.keyboard('{Enter}');
    (save.element() as HTMLElement).click();
    // The browser takes the focus from a disabled element in the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await expect.element(save).toHaveFocus();
    expect(done).toEqual([]);
    await rerender(form(false));
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => done).toEqual(['clicked', 'submitted']);
  });

  it('show code character by character', async () => {
    await renderScene();
    const diff = page.getByRole('group', { name: 'Changes' }).element();
    expect(getComputedStyle(diff).fontFeatureSettings).toContain('"calt" 0');
  });

  it('[U20] close immediately with reduced motion', async () => {
    expect(matchMedia('(prefers-reduced-motion: reduce)').matches).toBe(true);
    await renderScene();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await expect.element(dialog).toBeVisible();
    // An animation with no duration would end before the listener for its end is added.
    expect(getComputedStyle(dialog.element()).animationName).toBe('none');
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog).not.toBeInTheDocument();
  });

  it('[U20] dialog traps the focus and restores it', async () => {
    await renderScene();
    const opener = page.getByRole('button', { name: 'Open a dialog' });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await expect.element(dialog).toBeVisible();
    for (let i = 0; i < 6; i++) {
      await userEvent.keyboard('{Tab}');
      await expect.poll(() => dialog.element().contains(document.activeElement)).toBe(true);
    }
    expect(await findIssues(dialog.element())).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(opener).toHaveFocus();
  });

  it('[U20] alert dialog focuses Cancel, and Escape cancels', async () => {
    await renderScene();
    await page.getByRole('button', { name: 'Delete something' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect.element(dialog).toBeVisible();
    expect(focused()).toBe('Cancel');
    expect(await findIssues(dialog.element())).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: 'Delete something' })).toHaveFocus();
  });

  it('[U20] menu is navigated with arrows and letters, and closed with Escape', async () => {
    await renderScene();
    const opener = page.getByRole('button', { name: 'Menu' });
    (opener.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toHaveFocus();
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(page.getByRole('menuitem', { name: 'Delete' })).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(opener).toHaveFocus();
  });

  it('[U20] tabs, radio buttons, switches and checkboxes respond to their keys', async () => {
    await renderScene();
    (page.getByRole('tab', { name: 'Progress' }).element() as HTMLElement).focus();
    await userEvent.keyboard('{ArrowRight}');
    await expect.element(page.getByText('What it made')).toBeVisible();
    const autopilot = page.getByRole('radio', { name: 'Autopilot' });
    (autopilot.element() as HTMLElement).focus();
    await userEvent.keyboard('{ArrowUp}');
    await expect.element(page.getByRole('radio', { name: 'Ask' })).toBeChecked();
    for (const role of ['switch', 'checkbox'] as const) {
      const control = page.getByRole(role);
      (control.element() as HTMLElement).focus();
      await userEvent.keyboard(' ');
      await expect.element(control).not.toBeChecked();
    }
  });

  it('[U20] tree has one Tab stop and is navigated with arrows, Home, End and letters', async () => {
    await renderScene();
    const plan = page.getByRole('treeitem', { name: 'plan.md' });
    // The tree renders its rows when it knows its height.
    await expect.element(plan).toBeVisible();
    expect(document.querySelectorAll('[role=treeitem][tabindex="0"]').length).toBe(1);
    (plan.element() as HTMLElement).focus();
    const steps = [
      ['{Home}', 'docs'],
      ['{ArrowRight}', 'brief.md'],
      ['{ArrowLeft}', 'docs'],
      ['{End}', 'README.md'],
      ['b', 'brief.md'],
      ['{ArrowUp}', 'docs'],
    ] as const;
    for (const [key, name] of steps) {
      await userEvent.keyboard(key);
      await expect.poll(() => focused()).toBe(name);
    }
    await userEvent.keyboard('{ArrowLeft}');
    await expect.element(page.getByRole('treeitem', { name: 'brief.md' })).not.toBeInTheDocument();
  });

  it('[U110] textarea is as high as its text and padding', async () => {
    const area = (className: string) => (
      <Textarea aria-label="Text" isBare value="" onChange={() => undefined} className={className} />
    );
    const screen = await render(area('pt-1'));
    const element = page.getByRole('textbox', { name: 'Text' }).element();
    const before = element.clientHeight;
    await screen.rerender(area('pt-3'));
    expect(element.clientHeight).toBe(before + 8);
    expect(element.scrollHeight).toBe(element.clientHeight);
  });

  it('ignore an Enter that confirms a composition', async () => {
    const sent: string[] = [];
    await render(
      <Textarea aria-label="Text" value="ni" onChange={() => undefined} onEnter={() => sent.push('sent')} />,
    );
    const area = page.getByRole('textbox').element();
    const press = (init: KeyboardEventInit): boolean =>
      area.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init }),
      );
    press({ isComposing: true });
    press({ keyCode: 229 } as KeyboardEventInit);
    press({ shiftKey: true });
    expect(sent).toEqual([]);
    press({});
    expect(sent).toEqual(['sent']);
  });

  it('[U116] toast disappears after a while and is announced; the tabs stay free', async () => {
    await page.viewport(1_024, 768);
    await renderScene();
    await page.getByRole('button', { name: 'Toast' }).click();
    const saved = page.getByText('Saved').first();
    await expect.element(saved).toBeVisible();
    // The height of the tabs.
    expect(saved.element().getBoundingClientRect().top).toBeGreaterThan(40);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.element(page.getByText('Saved')).not.toBeInTheDocument();
  });
});
