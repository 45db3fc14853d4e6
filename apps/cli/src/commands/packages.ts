/** `crewagent packages`: lists, shows, adds and removes installed packages. */
import {
  addPackage,
  CrewError,
  type ImportResult,
  listInstalled,
  removeInstalled,
  showPackage,
} from '@crewagent/core';
import type { Signer } from '@crewagent/protocol/package-signature';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import { printPackage } from '../print/print-package.ts';
import { fit } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, printError, sanitize, style, styleError } from '../terminal.ts';

export async function list(options: { json?: true }): Promise<void> {
  const packages = await listInstalled(openStore(), { isChecked: true });
  if (options.json) return print(JSON.stringify(packages));
  if (packages.length === 0) return print(say('packages.none'));
  for (const { hash, name, version, title, description, installedAt, isDamaged } of packages) {
    const named = title === undefined ? '' : `  ${sanitize(title)}`;
    print(
      `${style('cyan', hash.slice(0, 12))}  ${style('bold', sanitize(name))} ${sanitize(version)}${named}  ${style('dim', installedAt.slice(0, 10))}`,
    );
    if (isDamaged) print(`              ${style('red', say('packages.damaged'))}`);
    if (description) print(`              ${style('dim', sanitize(description))}`);
  }
}

/** Continues with the other packages after an error. */
export async function add(
  addresses: readonly string[],
  options: { json?: true; acceptSigner?: true; sha256?: string },
): Promise<ExitCode> {
  if (options.sha256 !== undefined && addresses.length > 1)
    throw new CrewError('USAGE', 'With --sha256, add one package at a time.');
  return withSignals(async ({ signal }) => {
    const deps = { store: openStore(), context: validationContext, env: hostProcess().env, signal };
    let exit: ExitCode = EXIT.ok;
    for (const address of addresses) {
      try {
        const request = { address, acceptsSigner: options.acceptSigner, sha256: options.sha256 };
        const result = await addPackage(request, deps);
        if (options.json) print(JSON.stringify({ ok: true, path: address, ...result }));
        else printAdded(result);
      } catch (error) {
        if (!(error instanceof CrewError)) throw error;
        exit = EXIT.usage;
        printFailure(address, error, options.json === true);
      }
    }
    return exit;
  });
}

function printAdded({
  package: { hash, name, version },
  alreadyInstalled,
  signer,
  warnings,
}: ImportResult): void {
  const named = { name: `${style('bold', sanitize(name))} ${sanitize(version)}` };
  const done = say(alreadyInstalled ? 'packages.wasInstalled' : 'packages.isInstalled', named);
  printDone(`${done}  ${style('cyan', hash.slice(0, 12))}`);
  print(style('dim', `  sha256 ${hash}`));
  if (signer) print(`  ${describeSigner(signer)}`);
  printDiagnostics(warnings, 'error');
}

function printFailure(path: string, { code, message, details }: CrewError, isJson: boolean): void {
  if (isJson) {
    print(JSON.stringify({ ok: false, path, error: { code, message, details } }));
    return;
  }
  const isSigner = ['SIGNER_CHANGED', 'SIGNATURE_INVALID', 'SIGSTORE_INVALID'].includes(code);
  printError(
    `${styleError('red', '✖')} ${isSigner ? styleError('red', sanitize(message)) : sanitize(message)}`,
  );
  const { diagnostics } = details;
  if (Array.isArray(diagnostics)) printDiagnostics(diagnostics, 'error');
}

/** One line. */
function describeSigner({ status, fingerprint = '', name, before }: Signer): string {
  const by = `${fingerprint}${name === undefined ? '' : ` (${sanitize(name, 80)})`}`;
  switch (status) {
    case 'unsigned':
      return style('dim', say('packages.signer.unsigned'));
    case 'missing':
    case 'changed':
      return style('red', say(`packages.signer.${status}`, { by, before: before ?? '' }));
    case 'new':
      return say('packages.signer.new', { by });
    default:
      return style('green', say('packages.signer.known', { by }));
  }
}

export async function show(ref: string, options: { json?: true }): Promise<void> {
  const store = openStore();
  const shown = await showPackage(ref, { store, context: validationContext });
  const { package: installed, loaded, source, signer } = shown;
  if (options.json) {
    const { manifest, about } = loaded;
    return print(JSON.stringify({ package: installed, manifest, about, source, signer }));
  }
  const { hash, name, version, installedAt } = installed;
  print(`${style('bold', sanitize(name))} ${sanitize(version)}  ${style('dim', installedAt.slice(0, 10))}`);
  print(style('dim', `  sha256 ${hash}`));
  if (source !== undefined)
    print(`  ${style('dim', fit(say('packages.from'), 10))} ${sanitize(source, 400)}`);
  print(`  ${describeSigner(signer)}`);
  printPackage(loaded);
}

export async function remove(ref: string, options: { force?: true }): Promise<void> {
  const { name, version, hash } = await removeInstalled(openStore(), ref, options);
  const removed = say('packages.removed', { name: `${style('bold', sanitize(name))} ${sanitize(version)}` });
  printDone(`${removed}  ${style('dim', hash.slice(0, 12))}`);
}
