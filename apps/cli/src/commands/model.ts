/** `crewagent model`: models that run on this machine without another program. */
import {
  CrewError,
  installBuiltinModel,
  listBuiltinModels,
  listRecommended,
  planBuiltinModel,
  removeBuiltinModel,
} from '@crewagent/core';
import { confirm } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openStore } from '../open-store.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, printDone, sanitize, style } from '../terminal.ts';

interface InstallOptions {
  readonly file?: string;
  readonly url?: string;
  readonly sha256?: string;
  readonly yes?: true;
}

/** A single argument that is a path is the file; otherwise it is the name. */
export async function install(name: string | undefined, options: InstallOptions): Promise<ExitCode> {
  const store = openStore();
  const { url, sha256 = '', file = url === undefined ? name : undefined } = options;
  const isNamed = options.file !== undefined || url !== undefined;
  if (url !== undefined && options.file !== undefined)
    throw new CrewError('USAGE', 'Give either --file or --url.');
  if (!isNamed && !file?.endsWith('.gguf')) throw howToInstall(name);
  const source = url === undefined ? { file: file ?? '' } : { url, sha256 };
  const plan = await planBuiltinModel(source, store, isNamed ? name : undefined);
  if (plan.download) print(`${plan.name} is downloaded from ${new URL(plan.download.url).host}.`);
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
    printDone(`${sanitize(plan.name)} is installed${isDefault ? ', and the default' : ''}`);
    print(style('dim', `  Try it: crewagent doctor --model ${plan.name}`));
    return EXIT.ok;
  });
}

function howToInstall(name: string | undefined): CrewError {
  const { title } = listRecommended().find((model) => (name ? model.name === name : model.isBest)) ?? {};
  const subject =
    title === undefined ? `There is no model "${name}" here` : `${title} does not come with CrewAgent`;
  return new CrewError(
    'USAGE',
    `${subject}. Download its GGUF file and give it with --file, or give its address and checksum: --url https://… --sha256 …`,
  );
}

async function isAgreed(): Promise<boolean> {
  if (!isInteractive()) throw new CrewError('USAGE', 'Say --yes to install it without being asked.');
  return confirm('Install it? [y/N] ');
}

/** One line for every tenth. */
function createProgress(): (received: number, total: number) => void {
  let shown = -1;
  return (received, total) => {
    const tenth = Math.floor((10 * received) / total);
    if (tenth === shown) return;
    shown = tenth;
    print(style('dim', `  ${toSize(received)} of ${toSize(total)}`));
  };
}

export async function list(options: { json?: true }): Promise<void> {
  const models = await listBuiltinModels(openStore());
  if (options.json) return print(JSON.stringify(models));
  for (const { name, bytes, file } of models)
    print(
      `${sanitize(name)}  ${bytes === undefined ? style('red', 'its file is gone') : toSize(bytes)}  ${style('dim', sanitize(file))}`,
    );
  print(style('dim', `${models.length > 0 ? '\n' : ''}Models that are known to fit, as GGUF files:`));
  for (const { title, page, bytes, licence, memoryGiB, isBest } of listRecommended())
    print(
      style(
        'dim',
        `  ${title}, about ${toSize(bytes)}, ${licence}, ${memoryGiB} GB of memory${isBest ? '; fits this machine' : ''}\n    ${page}`,
      ),
    );
  print(style('dim', 'To install one: crewagent model install --file FILE, or --url URL --sha256 CHECKSUM'));
}

export async function remove(name: string): Promise<void> {
  await removeBuiltinModel(name, openStore());
  printDone(`${sanitize(name)} is removed`);
}

function toSize(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
