/**
 * `npm run test:mutants [-- [--fresh] SOURCE…]`: changes the safety core in a copy, one small change after the other, and
 * looks whether some test notices. Results are kept until a source or a test changes; `--fresh` forgets them.
 */
import { setUp } from './set-up.mjs';

setUp();
// The copy is taken away in any case.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
const { testMutants } = await import('./mutants/test-mutants.mjs');
const args = process.argv.slice(2);
const isGood = await testMutants(
  args.filter((arg) => !arg.startsWith('--')),
  { isFresh: args.includes('--fresh') },
);
process.exit(isGood ? 0 : 1);
