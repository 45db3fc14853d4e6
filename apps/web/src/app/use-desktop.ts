/**
 * Connects the page to the window of the desktop app: reports language and theme, and executes the window's menu commands. No-op
 * in a browser.
 */
import type { DesktopBridge, WindowRequest } from '@crewagent/protocol/desktop-bridge';
import { LANGUAGES } from '@crewagent/protocol/languages';
import { useEffect } from 'react';
import { navigate, parsePath } from '../navigation/router.ts';
import { useAppearance } from '../state/appearance.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { goToTab } from '../state/open-files.ts';

export function useDesktop(): void {
  useEffect(() => {
    const bridge = findBridge();
    return bridge ? connect(bridge) : undefined;
  }, []);
}

function connect(bridge: DesktopBridge): () => void {
  const announce = (): void => {
    const { theme } = useAppearance.getState();
    const language = LANGUAGES.find((known) => known === document.documentElement.lang) ?? 'en';
    void bridge.setAppearance({ language, theme });
  };
  announce();
  const unsubscribe = useAppearance.subscribe(announce);
  const stopListening = bridge.onRequest(handleRequest);
  return () => {
    unsubscribe();
    stopListening();
  };
}

function handleRequest(request: WindowRequest): void {
  if (request.kind === 'go') navigate(parsePath(request.path));
  else {
    const route = parsePath(location.pathname);
    if ('projectId' in route) goToTab(route.projectId, request.step);
  }
}
