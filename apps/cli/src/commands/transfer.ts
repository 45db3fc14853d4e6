/** `crewagent push` and `crewagent pull`: moves a run to a team server, and back. The token is never an argument and never printed. */
import { resolve } from 'node:path';
import {
  CrewError,
  createStoreLayout,
  defaultStoreRoot,
  type Pulled,
  type Pushed,
  pullWork,
  pushWork,
  type Runtime,
  resolveWork,
} from '@crewagent/core';
import { askHidden } from '../ask/prompter.ts';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { shortId } from '../print/describe-work.ts';
import { plural } from '../print/print-diagnostics.ts';
import { isInteractive, print, printDone, printError, sanitize, styleError } from '../terminal.ts';

export interface PushOptions {
  readonly to: string;
  readonly project?: string;
  readonly allFiles?: true;
  readonly json?: true;
}

export async function push(ref: string, { to, project, allFiles, json }: PushOptions): Promise<ExitCode> {
  const runtime = openRuntime();
  const { store } = runtime;
  await runtime.finishAdoptions();
  const work = await resolveWork(store, ref);
  await runtime.settleWork(work);
  const request = { work, url: to, token: await readToken(to), project, allFiles };
  const pushed = await pushWork(request, { store, context: validationContext });
  if (json) print(JSON.stringify(pushed));
  else sayPushed(pushed);
  return EXIT.ok;
}

function sayPushed({ workId, url, project, isNew, conflicts, sent, contents, bytes }: Pushed): void {
  const place = `${sanitize(url)}, project ${sanitize(project, 200)}`;
  if (!isNew) {
    printDone(`the team server has all of ${shortId(workId)} already (${place})`);
    return;
  }
  printDone(`moved ${shortId(workId)} to ${place}`);
  print(
    `  sent ${sent} of ${plural(contents, 'part')}, ${toSize(bytes)}; continue it there, then get it back with`,
  );
  print(`  crewagent pull ${shortId(workId)} --from ${sanitize(url)}`);
  if (conflicts > 0)
    warn(`${plural(conflicts, 'file')} could not be merged: choose a side on the page of the project.`);
}

export interface PullOptions {
  readonly from: string;
  readonly project?: string;
  readonly allFiles?: true;
  readonly keepFiles?: true;
  readonly json?: true;
}

export async function pull(ref: string, options: PullOptions): Promise<ExitCode> {
  const { from, project = '.', allFiles, keepFiles, json } = options;
  const runtime = openRuntime();
  const { store } = runtime;
  await runtime.finishAdoptions();
  const { arrivalsFolder: arrivals, adoptionsFolder: adoptions } = createStoreLayout(
    defaultStoreRoot(hostProcess().env),
  );
  const place = { projectPath: resolve(project), arrivals, adoptions, now: () => new Date() };
  const work = await findId(runtime, ref);
  const request = { url: from, token: await readToken(from), work, allFiles, keepFiles, ...place };
  const pulled = await pullWork(request, { store, context: validationContext });
  if (json) print(JSON.stringify(pulled));
  else sayPulled(pulled);
  return EXIT.ok;
}

/** A run that is not here is one that the server has. */
async function findId({ store }: Runtime, ref: string): Promise<string> {
  const wanted = ref.trim().toLowerCase();
  try {
    return (await resolveWork(store, wanted)).workId;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'RUN_NOT_FOUND' && wanted !== 'last') return wanted;
    throw error;
  }
}

function sayPulled({ workId, url, isNew, received, bytes, written, kept }: Pulled): void {
  if (!isNew) {
    printDone(`${shortId(workId)} is here already: nothing is new at ${sanitize(url)}`);
    return;
  }
  printDone(`moved ${shortId(workId)} here from ${sanitize(url)}`);
  print(
    `  received ${plural(received, 'part')}, ${toSize(bytes)}; changed ${plural(written.length, 'file')}`,
  );
  if (kept.length > 0) warn(`Kept as they are here: ${kept.map((path) => sanitize(path)).join(', ')}`);
}

const toSize = (bytes: number): string => `${Math.ceil(bytes / 1_024).toLocaleString('en')} KB`;

function warn(text: string): void {
  printError(`${styleError('yellow', '!')} ${text}`);
}

async function readToken(url: string): Promise<string> {
  const { env } = hostProcess();
  const token =
    env.CREWAGENT_TOKEN ||
    (isInteractive() ? await askHidden(`API token for ${sanitize(url, 200)} (not shown): `) : undefined);
  if (token?.trim()) return token.trim();
  throw new CrewError(
    'SIGN_IN_REQUIRED',
    'Set CREWAGENT_TOKEN to an API token of the team server. You create one on its Team page, under API tokens.',
  );
}
