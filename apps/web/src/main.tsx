/** Entry point of the page. */
import './styles/app.css';
import { createApiClient } from '@crewagent/protocol/api/client';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { requestEarly } from './api/early-work.ts';
import { createServerWatch } from './api/server-watch.ts';
import { createSharedFetch } from './api/shared-fetch.ts';
import { App } from './app/app.tsx';
import { warmWork } from './app/loaded-work.tsx';
import { formatSteps } from './i18n/format.ts';
import { parsePath } from './navigation/router.ts';
import { followWindowRoute } from './navigation/window-route.ts';
import { followAppearance } from './state/appearance.ts';
import { reloadForToken, takeAccess } from './state/connection.ts';
import { ErrorBoundary, watchLoadErrors } from './ui/errors/error-boundary.tsx';
import { warmMarkdown } from './ui/markdown/markdown.tsx';
import { warmSoon } from './ui/warm-soon.ts';

const watch = createServerWatch(createSharedFetch(), {
  probe: (send) =>
    send(`${location.origin}${API_ROOT}/system`, {
      headers: access ? { authorization: `Bearer ${access.token}` } : {},
    }),
});
const access = takeAccess(window);
// Without a token of a local server this may be the page of a team server. If that cannot be found out, it is not.
const client = access
  ? createApiClient({
      baseUrl: location.origin,
      token: access.token,
      surface: access.surface,
      fetch: watch.fetch,
    })
  : await import('./team/enter-team.ts')
      .then(({ enterTeam }) => enterTeam(watch.fetch))
      .catch(() => undefined);
if (access?.surface === 'electron') followWindowRoute(window, access);
reloadForToken(window, access?.token);
watchLoadErrors();
// Before the page is rendered, and before each screen is.
let lastWorkId: string | undefined;
const preloadScreen = (): void => {
  const route = parsePath(location.pathname);
  const workId = route.name === 'work' ? route.workId : undefined;
  if (client && workId !== undefined && workId !== lastWorkId) {
    requestEarly(client, workId);
    warmWork();
    warmMarkdown();
  }
  lastWorkId = workId;
};
addEventListener('popstate', preloadScreen);
preloadScreen();
const { ready } = followAppearance();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
// If the texts cannot be loaded, the page stays in English.
await ready.catch(() => undefined);
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary isScreen>
      <App client={client} watch={watch} />
    </ErrorBoundary>
  </StrictMode>,
);
// In the language that is now known.
if (lastWorkId !== undefined) warmSoon(formatSteps);

// Preloaded with the first press, as it leads to a screen with replies: the Markdown renderer, the formats of times, and the
// Chinese glyphs, of which only those in use are fetched. A failed load is reported where the module is needed.
addEventListener('pointermove', warmWork, { once: true, passive: true });
const preload = (): void => {
  warmWork();
  warmMarkdown();
  warmSoon(formatSteps);
  loadChineseFont();
};
for (const event of ['pointerdown', 'keydown'])
  addEventListener(event, preload, { once: true, passive: true });
if (document.documentElement.lang.startsWith('zh')) globalThis.requestIdleCallback?.(loadChineseFont);

function loadChineseFont(): void {
  import('@fontsource-variable/noto-sans-sc').catch(() => undefined);
}
