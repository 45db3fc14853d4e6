/**
 * The package registries that a project's own tools use, found by the names of its files (`registries.json`), and the registry
 * that the person set for npm. The project's configuration is not read: a model could have written it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostSchema } from '@crewagent/protocol/sandbox';
import { isIgnoredName } from '../../base/ignored-names.ts';
import registries from './registries.json' with { type: 'json' };

/** Folders of a project with more than one program. */
const MAX_FOLDERS = 100;

/** Host names, sorted. Looks at the project folder and the folders in it. */
export async function findRegistryHosts(project: string, home = homedir()): Promise<readonly string[]> {
  const entries = await listFolder(project);
  const folders = entries.filter((entry) => entry.isDirectory() && !isIgnoredName(entry.name));
  const inside = await Promise.all(
    folders.slice(0, MAX_FOLDERS).map(({ name }) => listFolder(join(project, name))),
  );
  const names = new Set([entries, ...inside].flat().map(({ name }) => name));
  const used = registries.filter(({ files }) => files.some((pattern) => isAnyNamed(names, pattern)));
  const hosts = used.flatMap((registry) => registry.hosts);
  const usesNpm = hosts.includes('registry.npmjs.org');
  return [...new Set([...hosts, ...(usesNpm ? await findNpmHosts(home) : [])])].sort();
}

/** A folder that cannot be read has no tools. */
function listFolder(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** A pattern has at most one `*`. */
function isAnyNamed(names: ReadonlySet<string>, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return names.has(pattern);
  return [...names].some((name) => name.startsWith(start) && name.endsWith(end));
}

/** Of `registry=` and `@scope:registry=` lines. Credentials in other lines are not read. */
async function findNpmHosts(home: string): Promise<string[]> {
  const text = await readFile(join(home, '.npmrc'), 'utf8').catch(() => '');
  return [
    ...text.matchAll(/^\s*(?:@[\w.-]+:)?registry\s*=\s*["']?https:\/\/([\w.:-]+)(?:[/"'\s]|$)/gim),
  ].flatMap(([, host]) => {
    const { success, data } = hostSchema.safeParse(host);
    return success ? [data] : [];
  });
}
