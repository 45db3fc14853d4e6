/** `crewagent packages`: lists, adds and removes installed packages. */
import { resolve } from 'node:path';
import { CrewError, importPackage, listInstalled, removeInstalled } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openStore } from '../open-store.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';

export async function list(options: { json?: true }): Promise<void> {
  const packages = await listInstalled(openStore(), { isChecked: true });
  if (options.json) return print(JSON.stringify(packages));
  if (packages.length === 0)
    return print('No packages are installed. Add one with: crewagent packages add PATH');
  for (const { hash, name, version, description, installedAt, isDamaged } of packages) {
    print(
      `${style('cyan', hash.slice(0, 12))}  ${style('bold', sanitize(name))} ${sanitize(version)}  ${style('dim', installedAt.slice(0, 10))}`,
    );
    if (isDamaged) print(`              ${style('red', 'damaged: reinstall it')}`);
    if (description) print(`              ${style('dim', sanitize(description))}`);
  }
}

/** Continues with the other packages after an error. */
export async function add(paths: readonly string[], options: { json?: true }): Promise<ExitCode> {
  const store = openStore();
  let exit: ExitCode = EXIT.ok;
  for (const path of paths) {
    try {
      const result = await importPackage(path, store, validationContext, {
        origin: { place: { kind: 'path', path: resolve(path) } },
      });
      if (options.json) {
        print(JSON.stringify({ ok: true, path, ...result }));
        continue;
      }
      const { hash, name, version } = result.package;
      const done = result.alreadyInstalled ? 'was already installed' : 'is installed';
      print(
        `${style('green', '✔')} ${style('bold', sanitize(name))} ${sanitize(version)} ${done}  ${style('cyan', hash.slice(0, 12))}`,
      );
      printDiagnostics(result.warnings, 'error');
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      exit = EXIT.usage;
      if (options.json) {
        const { code, message, details } = error;
        print(JSON.stringify({ ok: false, path, error: { code, message, details } }));
        continue;
      }
      printError(`${styleError('red', '✖')} ${sanitize(error.message)}`);
      const { diagnostics } = error.details;
      if (Array.isArray(diagnostics)) printDiagnostics(diagnostics, 'error');
    }
  }
  return exit;
}

export async function remove(ref: string, options: { force?: true }): Promise<void> {
  const { name, version, hash } = await removeInstalled(openStore(), ref, options);
  print(
    `${style('green', '✔')} removed ${style('bold', sanitize(name))} ${sanitize(version)}  ${style('dim', hash.slice(0, 12))}`,
  );
}
