import { join } from 'node:path';
import { hostSchema } from '@crewagent/protocol/sandbox';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { findRegistryHosts } from './project-registries.ts';
import registries from './registries.json' with { type: 'json' };

describe('registries of a project', () => {
  it('[T150] are those of its own tools, also in its folders', async () => {
    const project = await tempFolder();
    expect(await findRegistryHosts(project, project)).toEqual([]);
    await writeTree(project, {
      'package.json': '{}',
      'service/requirements-dev.txt': '',
      'node_modules/x/go.mod': '',
    });
    expect(await findRegistryHosts(project, project)).toEqual([
      'files.pythonhosted.org',
      'pypi.org',
      'registry.npmjs.org',
    ]);
  });

  it('[T150] include the public registry of the person for npm, and none that the project names', async () => {
    const root = await tempFolder();
    const lines = [
      'registry=https://npm.example.com/path/',
      '@team:registry = "https://team.example.com:8443"',
      'registry=http://plain.example.com/',
      'registry=https://registry.internal/',
      'registry=https://10.0.0.1/',
      'registry=https://user:password@other.example.com/',
      '//npm.example.com/:_authToken=secret',
    ];
    await writeTree(root, {
      'home/.npmrc': lines.join('\n'),
      'project/.npmrc': 'registry=https://evil.example/',
      'project/package-lock.json': '{"packages":{"x":{"resolved":"https://evil.example/x.tgz"}}}',
    });
    expect(await findRegistryHosts(join(root, 'project'), join(root, 'home'))).toEqual([
      'npm.example.com',
      'registry.npmjs.org',
      'team.example.com:8443',
    ]);
  });

  it('[T150] are names that a person could have added', () => {
    for (const host of registries.flatMap(({ hosts }) => hosts)) expect(hostSchema.parse(host)).toBe(host);
  });
});

describe('a host that a person adds', () => {
  it.each(['example.org', '*.example.org', 'EXAMPLE.org:8443', 'a_b.example.org', 'xn--bcher-kva.example'])(
    '[T150] %s is accepted',
    (host) => expect(hostSchema.parse(` ${host} `)).toBe(host.toLowerCase()),
  );

  it.each(
    `* *.org *.*.org localhost intranet a.localhost printer.local metadata.google.internal router.home.arpa 127.0.0.1
    10.0.0.1:80 [::1] 2130706433 0x7f.1 example.org:0 example.org:70000 example.org: https://example.org example.org/path
    user@example.org exa*mple.org bücher.example -a.org a..org .org`.split(/\s+/),
  )('[T150] %s is refused', (host) => expect(hostSchema.safeParse(host).success).toBe(false));
});
