import { BRIDGE_NAME, type DesktopBridge, type WindowRequest } from '@crewagent/protocol/desktop-bridge';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { render } from 'vitest-browser-react';
import { useAppearance } from '../state/appearance.ts';
import { layoutOf } from '../state/layout.ts';
import { openFile } from '../state/open-files.ts';
import { useDesktop } from './use-desktop.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';

/** Simulates the window of the desktop app. */
async function openInWindow() {
  const listeners = new Set<(request: WindowRequest) => void>();
  const setAppearance = vi.fn(() => Promise.resolve());
  const bridge: Partial<DesktopBridge> = {
    setAppearance,
    onRequest(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  Object.assign(globalThis, { [BRIDGE_NAME]: bridge });
  const screen = await render(<Page />);
  const ask = (request: WindowRequest): void => {
    for (const listener of listeners) listener(request);
  };
  return { ask, setAppearance, listeners, screen };
}

function Page() {
  useDesktop();
  return undefined;
}

afterEach(() => void Reflect.deleteProperty(globalThis, BRIDGE_NAME));

describe('the page in the window of the desktop app', () => {
  it('[G20] reports its language and theme, initially and when they change', async () => {
    const { setAppearance } = await openInWindow();
    expect(setAppearance).toHaveBeenLastCalledWith({ language: 'en', theme: 'light' });
    useAppearance.setState({ theme: 'dark' });
    expect(setAppearance).toHaveBeenLastCalledWith({ language: 'en', theme: 'dark' });
    useAppearance.setState({ theme: 'light' });
  });

  it('[G20] navigates as the menu says, and switches tabs', async () => {
    const { ask } = await openInWindow();
    ask({ kind: 'go', path: `/p/${PROJECT}` });
    expect(location.pathname).toBe(`/p/${PROJECT}`);
    openFile(PROJECT, 'a.md');
    openFile(PROJECT, 'b.md');
    const seen = [1, 1, -1].map((step) => {
      ask({ kind: 'tab', step: step as 1 | -1 });
      return layoutOf(PROJECT).activeFile;
    });
    expect(seen).toEqual([undefined, 'a.md', undefined]);
  });

  it('[G20] stops listening when unmounted, and does nothing in a browser', async () => {
    const { listeners, screen } = await openInWindow();
    await screen.unmount();
    expect(listeners.size).toBe(0);
    Reflect.deleteProperty(globalThis, BRIDGE_NAME);
    await render(<Page />);
  });
});
