/** `crewagent new`: creates a package to start from: a working one of two steps, or the full form of a method. */
import { basename, join, resolve } from 'node:path';
import { CrewError, createFromMethod, createPackage } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function newPackage(dir: string, options: { name?: string; from?: string }): Promise<void> {
  const { name = '', from } = options;
  if (from !== undefined && name !== '')
    throw new CrewError('USAGE', 'Use either --name or --from: a method has its name in its frontmatter.');
  const created = from === undefined ? await createScaffold(dir, name) : await expand(dir, from);
  printCreated(dir, created);
}

async function createScaffold(dir: string, given: string): Promise<Created> {
  const name = given.trim() || basename(resolve(dir)) || 'my-package';
  return { name, files: await createPackage(dir, name) };
}

interface Created {
  readonly name: string;
  readonly files: readonly string[];
}

/** `crewagent import method.md`: by default into a folder with the name of the file. */
export async function importMethod(method: string, out: string | undefined): Promise<void> {
  const dir = out ?? basename(method).replace(/\.md$/i, '');
  printCreated(dir, await expand(dir, method));
}

function expand(dir: string, method: string): Promise<Created> {
  return createFromMethod(dir, method, validationContext);
}

function printCreated(dir: string, { name, files }: Created): void {
  printDone(say('new.ready', { name: style('bold', sanitize(name)), folder: sanitize(dir) }));
  for (const file of files) print(style('dim', `  ${sanitize(join(dir, file))}`));
  print();
  print(say('new.next'));
  print(`  crewagent validate ${quote(dir)}`);
  print(`  crewagent rehearse ${quote(dir)}`);
  print(`  crewagent dev ${quote(dir)} --open   # ${say('new.dev')}`);
  print(`  crewagent pack ${quote(dir)}`);
}

function quote(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `"${sanitize(path)}"`;
}
