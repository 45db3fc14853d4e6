/** `crewagent packages outdated` and `packages upgrade`: follow the sources of installed packages. */
import {
  CrewError,
  type FollowDeps,
  type FollowedPackage,
  findAffectedWorks,
  listFollowed,
  loadInstalledVersion,
  upgradePackage,
} from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { printAffected, printChanges } from '../print/print-changes.ts';
import { toTable } from '../print/table.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, printError, sanitize, style, styleError } from '../terminal.ts';

export async function outdated(options: { all?: true; json?: true }): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const { store } = openRuntime();
    const followed = await listFollowed({
      store,
      context: validationContext,
      env: hostProcess().env,
      signal,
    });
    const wanted = options.all ? followed : followed.filter(({ status }) => isNotable(status));
    if (options.json) print(JSON.stringify(wanted.map(toJson)));
    else printFollowed(wanted, followed);
    return followed.some(({ status }) => isNotable(status)) ? EXIT.failed : EXIT.ok;
  });
}

function isNotable(status: FollowedPackage['status']): boolean {
  return status === 'outdated' || status === 'unreachable';
}

function toJson({ installed, status, source, available, availableHash, problem }: FollowedPackage) {
  const { name, version, hash } = installed;
  return { name, hash, installed: version, available, availableHash, status, source, problem };
}

function printFollowed(shown: readonly FollowedPackage[], all: readonly FollowedPackage[]): void {
  const rows = shown.map((followed) => ({
    cells: [
      sanitize(followed.installed.name, 80),
      sanitize(followed.installed.version, 40),
      followed.status === 'outdated'
        ? describeAvailable(followed)
        : say(`packages.status.${followed.status}`),
    ],
    styles: ['bold', 'dim', STATUS_STYLES[followed.status]] as const,
    suffix: sanitize(followed.source ?? '', 200),
  }));
  const names = [say('field.package'), say('packages.installed'), say('packages.available')];
  const header = { cells: names, styles: ['dim', 'dim', 'dim'] as const };
  if (rows.length > 0)
    for (const line of toTable(
      [{ ...header, suffix: style('dim', say('packages.source')) }, ...rows],
      [40, 20, 48],
    ))
      print(line);
  for (const { installed, problem } of shown)
    if (problem !== undefined)
      print(`${style('red', '✖')} ${sanitize(installed.name, 80)}: ${sanitize(problem, 400)}`);
  const unknown = all.filter(({ status }) => status === 'unknown').length;
  if (shown.some(({ status }) => status === 'outdated')) print(`\n${say('packages.installThem')}`);
  else if (rows.length === 0) print(say('packages.allCurrent'));
  if (unknown > 0 && !shown.some(({ status }) => status === 'unknown'))
    print(style('dim', say('packages.unknownSources', { count: unknown })));
}

/** A source whose content changed without a new version is recognised by its hash. */
function describeAvailable({ installed, available = '', availableHash = '' }: FollowedPackage): string {
  const version = sanitize(available, 40);
  if (available !== installed.version) return version;
  return say('packages.changedContent', { version, hash: availableHash.slice(0, 12) });
}

const STATUS_STYLES = { current: 'green', outdated: 'yellow', unreachable: 'red', unknown: 'dim' } as const;

export async function upgrade(
  name: string | undefined,
  options: { json?: true; acceptSigner?: true },
): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const { store } = openRuntime();
    const deps = {
      store,
      context: validationContext,
      env: hostProcess().env,
      signal,
      acceptsSigner: options.acceptSigner === true,
    };
    const followed = await listFollowed(deps, name);
    let exit: ExitCode = EXIT.ok;
    for (const each of followed) {
      const isDone = await upgradeOne(each, deps, options.json === true, name !== undefined);
      if (!isDone) exit = EXIT.failed;
    }
    if (!options.json && name === undefined && followed.every(({ status }) => !isNotable(status)))
      print(say('packages.allCurrent'));
    return exit;
  });
}

/** False if the package could not be upgraded. */
async function upgradeOne(
  followed: FollowedPackage,
  deps: FollowDeps & {
    readonly store: ReturnType<typeof openRuntime>['store'];
    readonly acceptsSigner: boolean;
  },
  isJson: boolean,
  isNamed: boolean,
): Promise<boolean> {
  const { installed, status } = followed;
  if (status !== 'outdated') {
    // Of all packages, only those that are newer or should be are named.
    if (isJson) print(JSON.stringify({ ok: status === 'current', ...toJson(followed) }));
    else if (status === 'unreachable') printFailure(installed.name, followed.problem ?? '');
    else if (isNamed) printUnchanged(followed);
    return status === 'current' || (status === 'unknown' && !isNamed);
  }
  try {
    const { installed: next, changes } = await upgradePackage(followed, deps);
    const works = await findAffectedWorks(
      deps.store,
      await loadInstalledVersion(next.hash, deps.store, deps.context),
      deps.context,
    );
    if (isJson) {
      print(
        JSON.stringify({ ok: true, ...toJson(followed), status: 'upgraded', package: next, changes, works }),
      );
      return true;
    }
    const name = `${style('bold', sanitize(next.name))} ${sanitize(next.version)}`;
    printDone(`${say('packages.isInstalled', { name })}  ${style('cyan', next.hash.slice(0, 12))}`);
    printChanges(changes);
    printAffected(works);
    return true;
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    const { code, message, details } = error;
    if (isJson) print(JSON.stringify({ ok: false, ...toJson(followed), error: { code, message, details } }));
    else printFailure(installed.name, message);
    return false;
  }
}

function printUnchanged({ installed, status }: FollowedPackage): void {
  const name = `${style('bold', sanitize(installed.name))} ${sanitize(installed.version)}`;
  if (status === 'current') printDone(say('packages.isCurrent', { name }));
  else printFailure(installed.name, say('packages.noSource'));
}

function printFailure(name: string, reason: string): void {
  printError(`${styleError('red', '✖')} ${sanitize(name, 80)}: ${sanitize(reason, 600)}`);
}
