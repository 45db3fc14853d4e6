import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { SplitPanes } from '../ui/split-panes.tsx';
import { changeLayout, layoutOf, type ProjectLayout, useLayout, usePaneSizes } from './layout.ts';

const KEY = 'crewagent.layouts';

function Shown({ projectId }: { readonly projectId: string }) {
  return <p>{useLayout(projectId).inspectorTab}</p>;
}

function Panes() {
  return (
    <div style={{ width: 600, height: 100 }}>
      <SplitPanes
        separatorLabel="Resize"
        {...usePaneSizes('here', 'one-two')}
        panes={['one', 'two'].map((id) => ({ id, minSize: '10%', content: id }))}
      />
    </div>
  );
}

/** Simulates a write of another window: changes the storage and dispatches the storage event. */
function writeElsewhere(change: Readonly<Record<string, Partial<ProjectLayout>>>): void {
  localStorage.setItem(KEY, JSON.stringify({ state: { layouts: change }, version: 0 }));
  dispatchEvent(new StorageEvent('storage', { key: KEY, storageArea: localStorage }));
}

describe('the layouts of projects', () => {
  it('are merged between two windows', async () => {
    await render(<Shown projectId="here" />);
    changeLayout('here', { inspectorTab: 'log' });
    changeLayout('there', { inspectorTab: 'log' });
    writeElsewhere({ there: { inspectorTab: 'state' }, here: { inspectorTab: 'tools' } });
    await expect.poll(() => layoutOf('there').inspectorTab).toBe('state');
    // The layout in view does not change while the user works with it.
    expect(layoutOf('here').inspectorTab).toBe('log');
    changeLayout('here', { hasInspector: false });
    expect(JSON.parse(localStorage.getItem(KEY) ?? '{}')).toMatchObject({
      state: { layouts: { here: { inspectorTab: 'log' }, there: { inspectorTab: 'state' } } },
    });
  });

  it('have the sizes of panes as a person left them', async () => {
    const { unmount } = await render(<Panes />);
    const separator = page.getByRole('separator', { name: 'Resize' });
    const sizeOf = () => separator.element().getAttribute('aria-valuenow');
    await expect.poll(sizeOf).toBe('50');
    separator.element().focus();
    await userEvent.keyboard('{ArrowRight}');
    await expect.poll(sizeOf).not.toBe('50');
    const left = sizeOf();
    await expect.poll(() => layoutOf('here').panes['one-two']?.one).toBeCloseTo(Number(left));
    await unmount();
    await render(<Panes />);
    await expect.poll(sizeOf).toBe(left);
  });
});
