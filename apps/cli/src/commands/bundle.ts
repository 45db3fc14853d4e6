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
import { askHidden, confirm } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeTotals } from '../print/describe-totals.ts';
import { describePhase, shortId } from '../print/describe-work.ts';
import { toField, toTable } from '../print/table.ts';
import { cellsOf } from '../print/text/cells.ts';
import type { en } from '../print/texts/en.ts';
import { say } from '../print/texts/say.ts';
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
  const key =
    sign === undefined ? undefined : await findOwnKey(sign === true ? undefined : sign, store, '--sign NAME');
  const exported = await (await runtime.bundles()).export({
    work,
    target,
    allFiles,
    withoutPackages: !options.package,
    passphrase: await newPassphrase(options),
    privateKey: key?.privateKey,
  });
  const wrote = say('bundle.wrote', { file: style('bold', sanitize(out)) });
  printDone(`${wrote}  ${style('dim', toSize(exported.bytes))}`);
  if (key)
    print(`  ${say('bundle.signedWith', { name: sanitize(key.name) })}  ${style('cyan', key.fingerprint)}`);
  for (const name of exported.packagesOutside) warn(say('bundle.outside', { name: sanitize(name) }));
  print(`  ${say('bundle.openWith', { command: `crewagent open ${sanitize(basename(out))}` })}`);
  return EXIT.ok;
}

/** Undefined for a file that is not encrypted. */
async function newPassphrase({ encrypt, passphraseEnv }: BundleOptions): Promise<string | undefined> {
  if (passphraseEnv !== undefined) return readPassphrase(passphraseEnv);
  if (!encrypt) return undefined;
  requireTerminal();
  const first = await askHidden(say('bundle.passphrase'));
  if (!first) throw new CrewError('USAGE', 'Nothing was written: the passphrase is empty.');
  if ((await askHidden(say('bundle.again'))) === first) return first;
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
    return (await askHidden(say('bundle.passphraseOf', { file: sanitize(basename(file)) }))) ?? '';
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
      if (!json && plan.refusal === undefined)
        print(say('bundle.continueWith', { command: commandFor(file, options) }));
      return EXIT.ok;
    }
    if (!options.yes && plan.refusal === undefined && !(await confirm(`${say('bundle.confirm')} [y/N] `))) {
      print(say('bundle.declined'));
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
  if (!json) printDone(say('bundle.here', { id: shortId(workId) }));
  const address = await resolveWork(runtime.store, workId);
  const { phase } = await runtime.store.works.read(address);
  if (!work.isRun || phase === 'Completed') {
    const next = work.isRun
      ? `crewagent show ${shortId(workId)}`
      : `crewagent chat --continue ${shortId(workId)}`;
    const text = say(work.isRun ? 'bundle.seeWith' : 'bundle.chatWith', { command: next });
    print(json ? JSON.stringify({ workId, phase }) : `  ${text}`);
    return EXIT.ok;
  }
  return resume(workId, { ...options, ...(json ? { json } : {}), input: [] });
}

function printShown(shown: ShownBundle): void {
  const { work, runs, packages, changed, deleted, requests, bytes, isEncrypted, runtime } = shown;
  print(style('bold', sanitize(work.title, 200)));
  const written = say('bundle.written', { count: changed.length });
  const facts: (readonly [name: FactName, value: string])[] = [
    ['run', `${work.workId}  ${describeWork(work)}`],
    ['signed', describeSigner(shown)],
    [
      'file',
      `${toSize(bytes)}${isEncrypted ? say('bundle.encrypted') : ''}${say('bundle.by', { version: sanitize(runtime, 40) })}`,
    ],
    ...packages.map((one) => ['package', describePackage(one)] as const),
    ['files', deleted.length > 0 ? `${written}${say('bundle.removed', { count: deleted.length })}` : written],
    ['requests', describeRequests(requests)],
  ];
  printFacts(facts);
  for (const { title, evidence } of runs) {
    print(`  ${sanitize(title, 120)}: ${describeTotals(evidence)}`);
    const rows = evidence.visits.map(({ nodeId, title: step, outcome }) => ({
      cells: [`    ${say(`bundle.outcome.${outcome}`)}`],
      styles: [COLORS[outcome]],
      suffix: sanitize(step || nodeId, 120),
    }));
    for (const line of toTable(rows, [24])) print(line);
  }
}

type FactName = keyof typeof en.bundle.fact;

function printFacts(facts: readonly (readonly [name: FactName, value: string])[]): void {
  const named = facts.map(([name, value]) => [say(`bundle.fact.${name}`), value] as const);
  const width = Math.max(...named.map(([name]) => cellsOf(name))) + 2;
  for (const [name, value] of named) print(toField(name, value, width));
}

function describeWork({ phase, events, model }: ShownBundle['work']): string {
  const { label } = describePhase(phase, undefined);
  return say('bundle.work', { phase: label, count: events, model: sanitize(model) });
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
  const { status, name = '', before = '' } = signer;
  const fingerprint = style('cyan', signer.fingerprint ?? '');
  const text = say(`bundle.signer.${status}`, { fingerprint, before, name: sanitize(name, 80) });
  if (status === 'missing' || status === 'changed') return style('yellow', text);
  if (status !== 'new' || alsoSigned.length === 0) return text;
  return say('bundle.signer.also', {
    fingerprint,
    names: sanitize(alsoSigned.slice(0, 3).join(', '), 200),
  });
}

function describePackage({
  name,
  version,
  hash,
  isInside,
  isInstalled,
}: ShownBundle['packages'][number]): string {
  const place = say(isInstalled ? 'bundle.installed' : isInside ? 'bundle.inside' : 'bundle.missing');
  const known = isInstalled || isInside ? place : style('red', place);
  return `${sanitize(name, 100)} ${sanitize(version, 40)} (${hash.slice(0, 12)}), ${known}`;
}

function describeRequests({ proved, unproved, unknown }: ShownBundle['requests']): string {
  const turns = unproved.slice(0, 10).map(({ turn }) => turn);
  const differ = { count: unproved.length, turns: turns.join(', ') };
  return [
    say('bundle.proved', { count: proved }),
    ...(unproved.length > 0 ? [style('red', say('bundle.unproved', differ))] : []),
    ...(unknown > 0 ? [say('bundle.unknown', { count: unknown })] : []),
  ].join(', ');
}

function printPlan(plan: BundlePlan): void {
  const { project, created, overwritten, removed, conflicts, approvalsEnded } = plan;
  const { model, approval, artifactsDir, refusal } = plan;
  print(style('bold', say('bundle.continuing', { project: sanitize(project, 200) })));
  if (refusal !== undefined) {
    warn(refusal);
    return;
  }
  const changes = [
    ['creates', created],
    ['overwrites', overwritten],
    ['removes', removed],
  ] as const;
  if (conflicts.length > 0) warn(say('bundle.conflicts', { paths: listPaths(conflicts) }));
  const to = sanitize(model.to);
  const chosen = model.from === model.to ? to : say('bundle.instead', { to, from: sanitize(model.from) });
  const { from, to: asks } = approval;
  printFacts([
    ...changes.flatMap(([name, paths]) => (paths.length > 0 ? [[name, listPaths(paths)] as const] : [])),
    ...(approvalsEnded > 0 ? [['ends', say('bundle.approvals', { count: approvalsEnded })] as const] : []),
    ['model', `${chosen}${model.hasKey ? '' : say('bundle.noKey')}`],
    ['asks', from === asks ? asks : say('bundle.instead', { to: asks, from })],
    ['free', say('bundle.free', { folder: sanitize(artifactsDir, 200) })],
  ]);
}

const SHOWN_PATHS = 12;

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => sanitize(path, 200));
  const more = paths.length - SHOWN_PATHS;
  return `${shown.join(', ')}${more > 0 ? ` ${say('bundle.more', { count: more })}` : ''}`;
}

const toSize = (bytes: number): string => `${Math.ceil(bytes / 1_024).toLocaleString('en')} KB`;

function warn(text: string): void {
  printError(`${styleError('yellow', '!')} ${text}`);
}
