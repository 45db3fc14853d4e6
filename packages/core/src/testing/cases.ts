/** The number of cases of a property test whose cases are slow; `npm run test:crash` runs ten times as many. */
export function cases(count: number): { readonly numRuns: number } {
  return { numRuns: process.env.CREWAGENT_CRASH === 'all' ? count * 10 : count };
}
