/**
 * `npm run test:live`: plays packages with the model behind CREW_E2E_BASE_URL (CREW_E2E_MODEL, CREW_E2E_API_KEY) and writes a
 * report. Options: `--runs N` (default 20), `--package NAME`, `--out FILE`, `--compare OLD`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareReports, type LiveReport, playLive, SCENARIOS } from './live-gate.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    package: { type: 'string', multiple: true },
    out: { type: 'string', default: 'live-report.json' },
    compare: { type: 'string' },
  },
});
const { CREW_E2E_BASE_URL: baseUrl, CREW_E2E_MODEL: model, CREW_E2E_API_KEY: apiKey = 'none' } = process.env;
if (!baseUrl || !model) {
  console.error(
    'Set CREW_E2E_BASE_URL and CREW_E2E_MODEL, and CREW_E2E_API_KEY if the endpoint needs a key.',
  );
  process.exit(2);
}
const report = await playLive({
  root: process.cwd(),
  baseUrl,
  model,
  apiKey,
  runs: Number(values.runs),
  scenarios: SCENARIOS.filter((scenario) => values.package?.includes(scenario.package) ?? true),
  onRun: (name, number, { ended, turns, tokens }) =>
    console.log(`${name} ${number}: ${ended}, ${turns} turns, ${tokens} tokens`),
});
writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`);
console.log(`\n${JSON.stringify(report.packages, null, 2)}\n\nThe report is in ${values.out}.`);
if (values.compare !== undefined) {
  const before = JSON.parse(readFileSync(values.compare, 'utf8')) as LiveReport;
  const { lines, isWorse } = compareReports(before, report);
  console.log(`\n${lines.join('\n')}`);
  if (isWorse) process.exitCode = 1;
}
