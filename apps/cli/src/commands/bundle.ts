/** `crewagent export RUN --bundle` and `crewagent open`: a run as one file. A passphrase is never an argument and never printed. */
import { basename, resolve } from 'node:path';
import {
  CrewError,
  findOwnKey,
  findTreeRoot,
  type OpenedBundle,
  type Runtime,
  requireFreeFile,
  resolveWork,
} from '@crewagent/core';
import type { BundlePlan, ShownBundle } from '@crewagent/protocol/api/bundles';
import { describeTotals } from '@crewagent/protocol/evidence';
import { askHidden, confirm } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { describePhase, shortId } from '../print/describe-work.ts';
import { plural } from '../print/print-diagnostics.ts';
import { isInteractive, print, printDone, printError, sanitize, style, styleError } from '../terminal.ts';
import { resume } from './resume.ts';
import type { ModelOptions } from './run-options.ts';

export interface BundleOptions {
  readonly out?: string;
  readonly force?: true;
  readonly encrypt?: true;
  readonly passphraseEnv?: string;
  /** Name of a key; true for the only one. */
  readonly sign?: string | true;
  /** False with `--no-package`. */
  readonly package: boolean;
  readonly allFiles?: true;
}

export async function exportBundleTo(ref: string, options: BundleOptions): Promise<ExitCode> {
  const { sign, force, allFiles } = options;
  const runtime = openRuntime();
  const { store } = runtime;
  const work = await resolveWork(store, ref);
  await runtime.settleWork(await findTreeRoot(store.works, work));
  const out = options.out ?? `run-${shortId(work.workId)}.crewrun`;
  const target = resolve(out);
  if (!force) await requireFreeFile(out);
  const key = sign === undefined ? undefined : await findOwnKey(sign === true ? undefined : sign, store);
  const exported = await (await runtime.bundles()).export({
    work,
    target,
    allFiles,
    withoutPackages: !options.package,
    passphrase: await newPassphrase(options),
    privateKey: key?.privateKey,
  });
  printDone(`wrote ${style('bold', sanitize(out))}  ${style('dim', toSize(exported.bytes))}`);
  if (key) print(`  signed with ${sanitize(key.name)}  ${style('cyan', key.fingerprint)}`);
  for (const name of exported.packagesOutside)
    warn(`The package ${sanitize(name)} is not inside. Whoever continues the run has to install it first.`);
  print(`  open it with: crewagent open ${sanitize(basename(out))}`);
  return EXIT.ok;
}

/** Undefined for a file that is not encrypted. */
async function newPassphrase({ encrypt, passphraseEnv }: BundleOptions): Promise<string | undefined> {
  if (passphraseEnv !== undefined) return readPassphrase(passphraseEnv);
  if (!encrypt) return undefined;
  requireTerminal();
  const first = await askHidden('Passphrase (not shown): ');
  if (!first) throw new CrewError('USAGE', 'Nothing was written: the passphrase is empty.');
  if ((await askHidden('The same again: ')) === first) return first;
  throw new CrewError('USAGE', 'Nothing was written: the two passphrases differ.');
}

function requireTerminal(): void {
  if (!isInteractive())
    throw new CrewError(
      'USAGE',
      'Without a terminal, give the passphrase in a variable: --passphrase-env NAME.',
    );
}

function readPassphrase(variable: string): string {
  const passphrase = hostProcess().env[variable];
  if (passphrase) return passphrase;
  throw new CrewError('USAGE', `The environment variable ${variable}, for the passphrase, is not set.`);
}

export interface OpenOptions extends ModelOptions {
  readonly project: string;
  readonly passphraseEnv?: string;
  readonly continue?: true;
  readonly yes?: true;
  readonly keepFiles?: true;
  readonly acceptSigner?: true;
  readonly acceptUnproved?: true;
  readonly json?: true;
}

export async function openFile(file: string, options: OpenOptions): Promise<ExitCode> {
  const { json, project, passphraseEnv, keepFiles } = options;
  const accepted = { acceptsSigner: options.acceptSigner, acceptsUnproved: options.acceptUnproved };
  if (options.continue && !options.yes && !(isInteractive() && !json))
    throw new CrewError(
      'USAGE',
      'Without a terminal, continuing needs --yes. Look at the file without --continue first.',
    );
  const runtime = openRuntime();
  const bundles = await runtime.bundles();
  const chosen = { path: resolve(project) };
  const opened = await bundles.open(file, async () => {
    if (passphraseEnv !== undefined) return readPassphrase(passphraseEnv);
    requireTerminal();
    return (await askHidden(`Passphrase of ${sanitize(basename(file))} (not shown): `)) ?? '';
  });
  let workId: string;
  try {
    const plan = await bundles.plan(opened, chosen);
    if (json && !options.continue) print(JSON.stringify({ ...opened.shown, continuing: plan }));
    if (!json) {
      printShown(opened.shown);
      printPlan(plan);
    }
    if (!options.continue) {
      if (!json && plan.refusal === undefined) print(`Continue it here with: ${commandFor(file, options)}`);
      return EXIT.ok;
    }
    if (!options.yes && plan.refusal === undefined && !(await confirm('Continue it here? [y/N] '))) {
      print('Nothing was changed.');
      return EXIT.ok;
    }
    ({ workId } = await bundles.adopt(opened, { chosen, file, keepFiles, ...accepted }));
  } finally {
    await opened.close();
  }
  return goOn(runtime, opened, workId, options);
}

function commandFor(file: string, { project }: OpenOptions): string {
  return `crewagent open ${sanitize(file)}${project === '.' ? '' : ` --project ${sanitize(project)}`} --continue`;
}

/** Like `crewagent resume`; a conversation is continued by a message, and a complete run has nothing to do. */
async function goOn(
  runtime: Runtime,
  { shown: { work } }: OpenedBundle,
  workId: string,
  { json, ...options }: OpenOptions,
): Promise<ExitCode> {
  if (!json) printDone(`${shortId(workId)} is here now`);
  const address = await resolveWork(runtime.store, workId);
  const { phase } = await runtime.store.works.read(address);
  if (!work.isRun || phase === 'Completed') {
    const next = work.isRun
      ? `crewagent show ${shortId(workId)}`
      : `crewagent chat --continue ${shortId(workId)}`;
    print(
      json ? JSON.stringify({ workId, phase }) : `  ${work.isRun ? 'see it' : 'continue it'} with: ${next}`,
    );
    return EXIT.ok;
  }
  return resume(workId, { ...options, ...(json ? { json } : {}), input: [] });
}

function printShown(shown: ShownBundle): void {
  const { work, runs, packages, changed, deleted, requests, bytes, isEncrypted, runtime } = shown;
  print(style('bold', sanitize(work.title, 200)));
  const facts: (readonly [name: string, value: string])[] = [
    [
      'run',
      `${work.workId}  ${describePhase(work.phase, undefined).label}, ${plural(work.events, 'event')}, with ${sanitize(work.model)}`,
    ],
    ['signed', describeSigner(shown)],
    [
      'file',
      `${toSize(bytes)}${isEncrypted ? ', encrypted' : ''}, written by crewagent ${sanitize(runtime, 40)}`,
    ],
    ...packages.map((one) => ['package', describePackage(one)] as const),
    [
      'files',
      `${plural(changed.length, 'file')} written${deleted.length > 0 ? `, ${deleted.length} removed` : ''}`,
    ],
    ['requests', describeRequests(requests)],
  ];
  for (const [name, value] of facts) print(`  ${style('dim', name.padEnd(9))} ${value}`);
  for (const { title, evidence } of runs) {
    print(`  ${sanitize(title, 120)}: ${describeTotals(evidence)}`);
    for (const { nodeId, title: step, outcome } of evidence.visits)
      print(`    ${style(COLORS[outcome], outcome.padEnd(8))} ${sanitize(step || nodeId, 120)}`);
  }
}

const COLORS = {
  proved: 'green',
  claimed: 'yellow',
  waived: 'yellow',
  missing: 'red',
  nothing: 'dim',
  open: 'cyan',
  carried: 'dim',
} as const;

function describeSigner({ signer, alsoSigned }: ShownBundle): string {
  const { status, fingerprint = '', name, before = '' } = signer;
  const also =
    alsoSigned.length === 0 ? '' : `, who also signed ${sanitize(alsoSigned.slice(0, 3).join(', '), 200)}`;
  if (status === 'unsigned') return 'by nobody';
  if (status === 'missing')
    return style('yellow', `by nobody; an earlier file of this run was signed by ${before}`);
  if (status === 'changed')
    return style('yellow', `by ${fingerprint}; an earlier file of this run by ${before}`);
  if (status === 'trusted')
    return `by ${sanitize(name ?? '', 80)} ${style('cyan', fingerprint)}, whom you trust`;
  const seen = status === 'known' ? ', as before' : also || ', a key that is new here';
  return `by ${style('cyan', fingerprint)}${seen}`;
}

function describePackage({
  name,
  version,
  hash,
  isInside,
  isInstalled,
}: ShownBundle['packages'][number]): string {
  const place = isInstalled
    ? 'installed here'
    : isInside
      ? 'inside'
      : style('red', 'not inside and not installed');
  return `${sanitize(name, 100)} ${sanitize(version, 40)} (${hash.slice(0, 12)}), ${place}`;
}

function describeRequests({ proved, unproved, unknown }: ShownBundle['requests']): string {
  const turns = unproved.slice(0, 10).map(({ turn }) => turn);
  return [
    `${proved} proved`,
    ...(unproved.length > 0
      ? [style('red', `${unproved.length} not as sent (turn ${turns.join(', ')})`)]
      : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ].join(', ');
}

function printPlan(plan: BundlePlan): void {
  const { project, created, overwritten, removed, conflicts, approvalsEnded } = plan;
  const { model, approval, artifactsDir, refusal } = plan;
  print(style('bold', `Continuing it here, in ${sanitize(project, 200)}`));
  if (refusal !== undefined) {
    warn(refusal);
    return;
  }
  for (const [what, paths] of [
    ['creates', created],
    ['overwrites', overwritten],
    ['removes', removed],
  ] as const)
    if (paths.length > 0) print(`  ${what.padEnd(10)} ${listPaths(paths)}`);
  if (conflicts.length > 0)
    warn(`Changed here since: ${listPaths(conflicts)}. --keep-files leaves them as they are.`);
  if (approvalsEnded > 0) print(`  ends       ${plural(approvalsEnded, 'approval')} for later calls`);
  print(
    `  model      ${sanitize(model.to)}${model.from === model.to ? '' : ` instead of ${sanitize(model.from)}`}${model.hasKey ? '' : ', without a stored key'}`,
  );
  print(`  asks       ${approval.to}${approval.from === approval.to ? '' : ` instead of ${approval.from}`}`);
  print(`  free       "${sanitize(artifactsDir, 200)}", where it writes without asking`);
}

const SHOWN_PATHS = 12;

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => sanitize(path, 200));
  return `${shown.join(', ')}${paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : ''}`;
}

const toSize = (bytes: number): string => `${Math.ceil(bytes / 1_024).toLocaleString('en')} KB`;

function warn(text: string): void {
  printError(`${styleError('yellow', '!')} ${text}`);
}
