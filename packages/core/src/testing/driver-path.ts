/**
 * Scripts that tests start as processes of their own: each file of `drivers`, bundled once before the tests.
 */
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where scripts/build-drivers.mjs put them. */
    readonly driversFolder: string;
  }
}

export function driverPath(name: string): string {
  return join(inject('driversFolder'), `${name}.js`);
}
