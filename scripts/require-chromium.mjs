/** Runs before the tests that need a browser: fails in CI without one. Elsewhere they are not started. */
import { planPageTests } from './find-chromium.mjs';

export default function setup() {
  const plan = planPageTests();
  if (plan.kind !== 'run') throw new Error(plan.sentence);
}
