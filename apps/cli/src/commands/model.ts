/** `crewagent model`: models that run on this machine without another program. */
import {
  CrewError,
  installBuiltinModel,
  listBuiltinModels,
  planBuiltinModel,
  RECOMMENDED_MODELS,
  removeBuiltinModel,
} from '@crewagent/core';
import { createPrompter } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openStore } from '../open-store.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, sanitize, style } from '../terminal.ts';

export async function install(ref: string | undefined, options: { yes?: true }): Promise<ExitCode> {
  const store = openStore();
  const plan = await planBuiltinModel(ref, store);
  const { recommended } = plan;
  if (recommended)
    print(
      `${recommended.title}: about ${toSize(recommended.bytes)}, licence ${recommended.licence}, for machines with ${recommended.memoryGiB} GB of memory or more.`,
    );
  if (recommended && !plan.isDownloaded) print(`  from ${new URL(recommended.url).host}`);
  if (plan.needsRuntime)
    print('The part that runs models (node-llama-cpp, about 75 MB, licence MIT) is installed first.');
  if (!options.yes && !(await isAgreed())) {
    print('Nothing was installed.');
    return EXIT.ok;
  }
  return withSignals(async ({ signal }) => {
    const { isDefault } = await installBuiltinModel(plan, store, {
      signal,
      onRuntime: () => print('Installing the part that runs models …'),
      onProgress: createProgress(),
    });
    print(
      `${style('green', '✔')} ${sanitize(plan.name)} is installed${isDefault ? ', and the default' : ''}`,
    );
    print(style('dim', `  Try it: crewagent doctor --model ${plan.name}`));
    return EXIT.ok;
  });
}

async function isAgreed(): Promise<boolean> {
  if (!isInteractive()) throw new CrewError('USAGE', 'Say --yes to install it without being asked.');
  const answer = await createPrompter().ask('Install it? [y/N] ');
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** One line for every tenth. */
function createProgress(): (received: number, total: number | undefined) => void {
  let shown = -1;
  return (received, total) => {
    const tenth = total === undefined ? Math.floor(received / 1e9) : Math.floor((10 * received) / total);
    if (tenth === shown) return;
    shown = tenth;
    print(style('dim', `  ${toSize(received)}${total === undefined ? '' : ` of ${toSize(total)}`}`));
  };
}

export async function list(options: { json?: true }): Promise<ExitCode> {
  const models = await listBuiltinModels(openStore());
  if (options.json) {
    print(JSON.stringify(models));
    return EXIT.ok;
  }
  for (const { name, bytes, file } of models)
    print(
      `${sanitize(name)}  ${bytes === undefined ? style('red', 'its file is gone') : toSize(bytes)}  ${style('dim', sanitize(file))}`,
    );
  const installed = new Set(models.map(({ name }) => name));
  const others = RECOMMENDED_MODELS.filter(({ name }) => !installed.has(name));
  if (others.length > 0)
    print(style('dim', `${models.length > 0 ? '\n' : ''}To install: crewagent model install NAME`));
  for (const { name, title, bytes, licence, memoryGiB } of others)
    print(style('dim', `  ${name}  ${title}, about ${toSize(bytes)}, ${licence}, ${memoryGiB} GB of memory`));
  return EXIT.ok;
}

export async function remove(name: string): Promise<ExitCode> {
  await removeBuiltinModel(name, openStore());
  print(`${style('green', '✔')} ${sanitize(name)} is removed`);
  return EXIT.ok;
}

function toSize(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
