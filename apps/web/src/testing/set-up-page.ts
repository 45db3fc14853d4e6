/** Resets the page before each test to that of a new user. */
import '../styles/app.css';
import { afterEach, beforeEach } from 'vitest';
import { followAppearance, useAppearance } from '../state/appearance.ts';
import { useLayouts } from '../state/layout.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';

let unfollow = (): void => undefined;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  useLayouts.setState({ layouts: {} });
  useToasts.setState({ toasts: [] });
  useAppearance.setState({ theme: 'light', density: 'comfortable', language: 'en' });
  unfollow = followAppearance().end;
});

afterEach(() => unfollow());
