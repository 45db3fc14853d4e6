/** Files of programs that show the page: the app window of a browser, and the desktop app. */
import { createStoreLayout, type StorePaths } from '../layout.ts';

export type AppFiles = Pick<StorePaths, 'windowProfile' | 'desktopProfile' | 'desktopWindow'>;

export function appFilesOf(root: string): AppFiles {
  const { windowProfile, desktopProfile, desktopWindow } = createStoreLayout(root);
  return { windowProfile, desktopProfile, desktopWindow };
}
