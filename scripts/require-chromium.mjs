/** Runs before the tests that need a browser: in CI they fail without one. Elsewhere they are not started then. */
import { planPageTests } from './find-chromium.mjs';

export default function setup() {
  const plan = planPageTests();
  if (plan.kind !== 'run') throw new Error(plan.sentence);
}
