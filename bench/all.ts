/**
 * `npm run bench [NAME…]`: measures all performance ratios on this machine. The first part of a name is enough. Rows are printed as they
 * are measured: some benches take minutes.
 */
import { benchBundles } from './bundles.ts';
import { benchCommands } from './commands.ts';
import { benchConvert } from './convert.ts';
import { benchEngine } from './engine.ts';
import { benchGrowth } from './growth.ts';
import { benchIdle } from './idle.ts';
import { benchImport } from './import.ts';
import { benchLoad } from './load.ts';
import { attempt, printHead, printRows } from './measure.ts';
import { benchPage } from './page.ts';
import { benchPrompt } from './prompt.ts';
import { benchRouter } from './router.ts';
import { benchRuns } from './runs.ts';
import { benchSearch } from './search.ts';
import { benchServer } from './server.ts';
import { benchSoak } from './soak.ts';
import { benchStart } from './start.ts';
import { benchTeam } from './team.ts';
import { benchTests } from './tests.ts';
import { benchTools } from './tools.ts';
import { benchValidate } from './validate.ts';

const BENCHES = {
  start: benchStart,
  validate: benchValidate,
  tests: benchTests,
  import: benchImport,
  convert: benchConvert,
  tools: benchTools,
  search: benchSearch,
  commands: benchCommands,
  engine: benchEngine,
  runs: benchRuns,
  bundles: benchBundles,
  prompt: benchPrompt,
  router: benchRouter,
  server: benchServer,
  load: benchLoad,
  team: benchTeam,
  idle: benchIdle,
  'growth-works': benchGrowth('works'),
  'growth-events': benchGrowth('events'),
  'growth-nodes': benchGrowth('nodes'),
  soak: benchSoak,
  page: benchPage,
};

const selected = process.argv.slice(2);
const isSelected = (name: string): boolean =>
  selected.length === 0 || selected.some((part) => `${name}-`.startsWith(`${part}-`));
printHead();
for (const [name, bench] of Object.entries(BENCHES))
  if (isSelected(name)) printRows(await attempt(name, bench));
// The browser that the pages share would keep the process alive.
process.exit();
