/** Resets the page before each test to that of a new user. Test files share one page and its modules. */
import '../styles/app.css';
import './act.ts';
import { afterEach, beforeEach } from 'vitest';
import { cleanup } from 'vitest-browser-react';
import { followAppearance, useAppearance } from '../state/appearance.ts';
import { resetStores } from './resettable-stores.ts';

let unfollow = (): void => undefined;

beforeEach(() => {
  resetStores();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(undefined, '', '/');
  useAppearance.setState({ theme: 'light', density: 'comfortable', language: 'en' });
  unfollow = followAppearance().end;
});

afterEach(async () => {
  // `vitest-browser-react` registers its own clean-up only for the file that loads it.
  await cleanup();
  unfollow();
});
