/** Publishes to a registry of npm packages: a tarball with the archive and a package.json made from the package. */
import type { About } from '@crewagent/protocol/about';
import { shown } from './fetch-bytes.ts';
import {
  documentAddress,
  type NpmRelease,
  putNpmVersion,
  type RegistryOptions,
  requireNewVersion,
  requireNpmName,
} from './npm-registry.ts';
import type { Release } from './release.ts';
import { writeTarball } from './write-tarball.ts';

export async function publishToNpm(
  { files, ...release }: NpmRelease & { readonly files: readonly string[] },
  isDryRun: boolean,
  options: RegistryOptions,
): Promise<{ address: string; files: readonly string[] }> {
  const { name, version } = release.manifest;
  await requireNewVersion(release.manifest, options);
  if (!isDryRun) await putNpmVersion(release, options);
  return {
    address: `npm:${name}@${version}`,
    files: [...files, shown(documentAddress(name, options))],
  };
}

/** `name`: empty for that of the package. */
export function toNpmRelease(
  release: Release,
  name: string,
): NpmRelease & { readonly files: readonly string[] } {
  const { loaded, archive, fileName } = release;
  const { manifest, about = {} } = loaded;
  const described = {
    name: requireNpmName(name || manifest.name),
    version: manifest.version,
    description: manifest.description,
    ...toNpmFields(about),
    files: ['*.bmad'],
  };
  const file = /^[\w.+-]+$/.test(fileName) ? fileName : 'package.bmad';
  const contents = {
    'package.json': Buffer.from(`${JSON.stringify(described, null, 2)}\n`),
    'README.md': Buffer.from(toReadme(release, described.name)),
    [file]: archive,
  };
  return { manifest: described, tarball: writeTarball(contents), files: Object.keys(contents) };
}

function toNpmFields({ license, homepage, repository, keywords, authors = [] }: About) {
  const [author, ...contributors] = authors;
  return {
    license,
    homepage,
    repository:
      repository === undefined ? undefined : { type: 'git', url: `git+${repository.replace(/^git\+/, '')}` },
    keywords: [...new Set([...(keywords ?? []), 'crewagent'])],
    author,
    contributors: contributors.length > 0 ? contributors : undefined,
  };
}

function toReadme({ loaded: { manifest, about }, hash }: Release, name: string): string {
  return `# ${about?.title ?? manifest.name}\n\n${manifest.description ?? ''}\n\n    crewagent packages add npm:${name}\n\nsha256 ${hash}\n`;
}
