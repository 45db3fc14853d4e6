/** Where the page begins. */
import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { followAppearance } from './state/appearance.ts';
import { takeToken } from './state/connection.ts';
import { warmMarkdown } from './ui/markdown.tsx';

takeToken({ location, history, storage: sessionStorage });
followAppearance();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the app.');
createRoot(root).render(
  <StrictMode>
    <App conversations={undefined} />
  </StrictMode>,
);

// Needed soon, not first: how replies are formatted, and the Chinese glyphs, of which only those in use are fetched.
requestIdleCallback?.(() => {
  warmMarkdown();
  void import('@fontsource-variable/noto-sans-sc');
});
