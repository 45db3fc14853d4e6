/** `crewagent new`: creates a working package to start from. */
import { basename, join, resolve } from 'node:path';
import { createPackage } from '@crewagent/core';
import { print, sanitize, style } from '../terminal.ts';

export async function newPackage(dir: string, options: { name?: string }): Promise<void> {
  const name = options.name?.trim() || basename(resolve(dir)) || 'my-package';
  const files = await createPackage(dir, name);
  print(`${style('green', '✔')} ${style('bold', sanitize(name))} is ready in ${sanitize(dir)}`);
  for (const file of files) print(style('dim', `  ${sanitize(join(dir, file))}`));
  print();
  print('Next:');
  print(`  crewagent validate ${quote(dir)}`);
  print(`  crewagent rehearse ${quote(dir)}`);
  print(`  crewagent pack ${quote(dir)}`);
}

function quote(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `"${sanitize(path)}"`;
}
