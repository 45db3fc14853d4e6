/**
 * Checks every import against the layers in `.dependency-cruiser.mjs`, and fails if no modules were found.
 */
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';
import { say } from './set-up.mjs';

const { output } = await cruise(['packages', 'apps'], {
  ...config.options,
  ruleSet: { forbidden: config.forbidden },
  validate: true,
});
const { totalCruised, violations } = output.summary;
for (const { rule, from, to, cycle } of violations) {
  say(`${rule.name}: ${from} → ${cycle ? cycle.map(({ name }) => name).join(' → ') : to}`);
}
if (totalCruised < 20) say(`Only ${totalCruised} modules were found; the check itself is broken.`);
if (violations.length > 0 || totalCruised < 20) process.exitCode = 1;
else say(`layers: ${totalCruised} modules, no violations`);
