/** What the window of the desktop app offers to the page: native dialogs and the file manager. Absent in a browser. */
import { BRIDGE_NAME, type DesktopBridge } from '@crewagent/protocol/desktop-bridge';
import { useEffect } from 'react';

export function findBridge(): DesktopBridge | undefined {
  return (globalThis as { readonly [BRIDGE_NAME]?: DesktopBridge })[BRIDGE_NAME];
}

/** The count on the icon of an installed page. The desktop app counts by itself, and a tab has the count in its title. */
export function useBadge(count: number): void {
  useEffect(() => {
    if (findBridge()) return;
    // A browser without badges, or a page that is not installed, is no problem of the person's.
    navigator.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
}
