/** `crewagent new`: a package that works, to be changed into one's own. */
import { basename, join, resolve } from 'node:path';
import { createPackage } from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { foreign, print, style } from '../terminal.ts';

export async function newPackage(dir: string, options: { name?: string }): Promise<ExitCode> {
  const name = options.name?.trim() || basename(resolve(dir)) || 'my-package';
  const files = await createPackage(dir, name);
  const shown = dir;
  print(`${style('green', '✔')} ${style('bold', foreign(name))} is ready in ${foreign(shown)}`);
  for (const file of files) print(style('dim', `  ${foreign(join(shown, file))}`));
  print();
  print('Next:');
  print(`  crewagent validate ${quote(shown)}`);
  print(`  crewagent pack ${quote(shown)}`);
  return EXIT.ok;
}

function quote(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : `"${foreign(path)}"`;
}
