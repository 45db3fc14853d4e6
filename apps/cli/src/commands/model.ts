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
import { say } from '../print/texts/say.ts';
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
  const shown = sanitize(plan.name);
  if (plan.download)
    print(say('localModel.download', { name: shown, host: new URL(plan.download.url).host }));
  if (plan.needsRuntime) print(say('localModel.runtime'));
  if (!options.yes && !(await isAgreed())) {
    print(say('localModel.nothing'));
    return EXIT.ok;
  }
  return withSignals(async ({ signal }) => {
    const { isDefault } = await installBuiltinModel(plan, store, {
      signal,
      onRuntime: () => print(say('localModel.installing')),
      onProgress: createProgress(),
    });
    printDone(say(isDefault ? 'localModel.installedDefault' : 'localModel.installed', { name: shown }));
    print(style('dim', `  ${say('localModel.tryIt', { name: shown })}`));
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
  return confirm(say('localModel.question'));
}

/** One line for every tenth. */
function createProgress(): (received: number, total: number) => void {
  let shown = -1;
  return (received, total) => {
    const tenth = Math.floor((10 * received) / total);
    if (tenth === shown) return;
    shown = tenth;
    const progress = { received: toSize(received), total: toSize(total) };
    print(style('dim', `  ${say('localModel.progress', progress)}`));
  };
}

export async function list(options: { json?: true }): Promise<void> {
  const models = await listBuiltinModels(openStore());
  if (options.json) return print(JSON.stringify(models));
  for (const { name, bytes, file } of models)
    print(
      `${sanitize(name)}  ${bytes === undefined ? style('red', say('localModel.fileGone')) : toSize(bytes)}  ${style('dim', sanitize(file))}`,
    );
  print(style('dim', `${models.length > 0 ? '\n' : ''}${say('localModel.known')}`));
  for (const { title, page, bytes, licence, memoryGiB, isBest } of listRecommended()) {
    const facts = say('localModel.facts', { title, size: toSize(bytes), licence, memory: memoryGiB });
    print(style('dim', `  ${isBest ? say('localModel.fits', { facts }) : facts}\n    ${page}`));
  }
  print(style('dim', say('localModel.howTo')));
}

export async function remove(name: string): Promise<void> {
  await removeBuiltinModel(name, openStore());
  printDone(say('localModel.removed', { name: sanitize(name) }));
}

function toSize(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
