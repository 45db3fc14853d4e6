import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licensesSchema } from '@crewagent/protocol/licenses';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { packageOf, writeBundledPackages } from './bundled-packages.mjs';

/** Built before the tests. */
const dist = fileURLToPath(new URL('../apps/cli/dist', import.meta.url));

describe('what the product contains of others', () => {
  it('[C93] has a license and its text for each package of the program and the page, fonts and styles included', () => {
    const { packages } = licensesSchema.parse(
      JSON.parse(readFileSync(join(dist, 'web/licenses.json'), 'utf8')),
    );
    const names = packages.map(({ name }) => name);
    const some = [
      'zod',
      'commander',
      'yaml',
      'react-dom',
      'mermaid',
      'tailwindcss',
      '@fontsource-variable/inter',
    ];
    expect(names).toEqual(expect.arrayContaining(some));
    expect(names.filter((name) => name.startsWith('@crewagent') || name === 'vitest')).toEqual([]);
    for (const { name, license, text } of packages) {
      expect(license, name).not.toBe('UNKNOWN');
      expect(text, name).toMatch(/copyright|apache license|bsd|licen[cs]e/i);
      expect(text.length, name).toBeGreaterThan(300);
    }
  });

  it('is an SBOM with the hashes of the lockfile, the same each time', async () => {
    const bill = readFileSync(join(dist, 'sbom.cdx.json'), 'utf8');
    const { components, dependencies } = JSON.parse(bill) as Bill;
    const zod = components.find(({ name }) => name === 'zod');
    expect(zod?.scope).toBe('required');
    expect(zod?.purl).toMatch(/^pkg:npm\/zod@\d/);
    expect(zod?.hashes[0]?.content).toMatch(/^[\da-f]{128}$/);
    expect(components.find(({ name }) => name === 'pg')?.scope).toBe('optional');
    expect(dependencies[0]?.dependsOn).toHaveLength(components.length);
    const written = await Promise.all(
      [1, 2].map(async () => {
        const folder = await tempFolder();
        mkdirSync(join(folder, 'web'));
        writeBundledPackages(folder, ['node_modules/zod', 'node_modules/yaml'], ['node_modules/pg']);
        return readFileSync(join(folder, 'sbom.cdx.json'), 'utf8');
      }),
    );
    expect(written[0]).toBe(written[1]);
  });

  it.each([
    ['/home/x/repo/node_modules/zod/index.js', 'node_modules/zod'],
    ['C:\\repo\\node_modules\\@a\\b\\c.js?x', 'node_modules/@a/b'],
    ['\0/repo/node_modules/a/node_modules/@b/c/d.js?commonjs', 'node_modules/a/node_modules/@b/c'],
    [
      '../../node_modules/@fontsource-variable/inter/files/a.woff2',
      'node_modules/@fontsource-variable/inter',
    ],
    ['/repo/packages/core/src/index.ts', undefined],
  ])('are found by the path %j', (path, expected) => {
    expect(packageOf(path)).toBe(expected);
  });
});

interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly scope: string;
    readonly hashes: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
}
