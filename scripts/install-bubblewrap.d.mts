import type { InstallOptions } from './install-chromium.mjs';

export function ensureBubblewrap(
  options?: Pick<InstallOptions, 'env' | 'isRoot' | 'wait' | 'log'>,
): Promise<void>;
