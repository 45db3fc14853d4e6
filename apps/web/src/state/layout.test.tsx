import { describe, expect, it } from 'vitest';
import { render } from 'vitest-browser-react';
import { changeLayout, layoutOf, type ProjectLayout, useLayout } from './layout.ts';

const KEY = 'crewagent.layouts';

function Shown({ projectId }: { readonly projectId: string }) {
  return <p>{useLayout(projectId).inspectorTab}</p>;
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
});
