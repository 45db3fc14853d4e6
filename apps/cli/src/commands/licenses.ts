/** `crewagent licenses`: what the program contains of others, with the texts of their licenses. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CrewError } from '@crewagent/core';
import { type LicensedPackage, licensesSchema } from '@crewagent/protocol/licenses';
import { hostProcess } from '../host-process.ts';
import { print, sanitize, style } from '../terminal.ts';

export async function licenses(name: string | undefined, { json }: { readonly json?: true }): Promise<void> {
  const packages = readPackages();
  const shown = packages.filter((one) => name === undefined || one.name === name);
  if (shown.length === 0)
    throw new CrewError('USAGE', `CrewAgent contains no package "${sanitize(name ?? '', 60)}".`);
  if (json) return print(JSON.stringify({ packages: shown }));
  if (name !== undefined) return shown.forEach(printText);
  print('CrewAgent is MIT licensed. It contains:\n');
  const width = Math.max(...shown.map((one) => nameOf(one).length));
  for (const one of shown) print(`${nameOf(one).padEnd(width)}  ${style('dim', one.license)}`);
  print('\nThe text of a license: crewagent licenses NAME');
}

function readPackages(): readonly LicensedPackage[] {
  const { argv } = hostProcess();
  const file = join(dirname(realpathSync(argv[1] ?? '.')), 'web/licenses.json');
  return licensesSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
}

function printText(one: LicensedPackage): void {
  print(`${style('bold', nameOf(one))}  ${style('dim', one.license)}\n\n${one.text}\n`);
}

function nameOf({ name, version }: LicensedPackage): string {
  return `${name} ${version}`;
}
