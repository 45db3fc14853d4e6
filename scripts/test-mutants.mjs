/**
 * `npm run test:mutants [-- [--fresh] SOURCE…]`: mutation testing of a copy of the safety-critical code.
 * Results are cached until a source or a test changes; `--fresh` discards them.
 */
import { setUp } from './set-up.mjs';

setUp();
// Ensures that the copy is removed on exit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
const { testMutants } = await import('./mutants/test-mutants.mjs');
const args = process.argv.slice(2);
const isPassed = await testMutants(
  args.filter((arg) => !arg.startsWith('--')),
  { isFresh: args.includes('--fresh') },
);
process.exit(isPassed ? 0 : 1);
