/**
 * Paths of the scripts that tests start as child processes: each file of `drivers`, bundled once before the tests.
 */
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Output folder of scripts/build-drivers.mjs. */
    readonly driversFolder: string;
  }
}

export function driverPath(name: string): string {
  return join(inject('driversFolder'), `${name}.js`);
}
