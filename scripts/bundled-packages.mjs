/**
 * What the product contains of others: packages are noted while they are bundled, and written beside the product with the texts of
 * their licenses and as an SBOM (CycloneDX). The same sources give the same bytes: no time, no machine.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './set-up.mjs';

/** Notes the packages of all builds that get this plugin of rolldown and vite. */
export function createPackageNotes() {
  const names = new Set();
  const plugin = {
    name: 'note-packages',
    generateBundle(_, files) {
      // Fonts and other files are assets, styles in no chunk.
      const contents = Object.values(files).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
      );
      const styles = [...this.getModuleIds()].filter((id) => id.replace(/\?.*$/, '').endsWith('.css'));
      for (const id of [...contents, ...styles]) {
        const name = packageOf(id);
        if (name !== undefined) names.add(name);
      }
    },
  };
  return { names, plugin };
}

/** Path of the package below the root, such as `node_modules/zod`; undefined for sources of ours. */
export function packageOf(id) {
  return /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(
    id.replaceAll('\\', '/'),
  )?.[1];
}

/** Writes `web/licenses.json`, which page and command line show, and `sbom.cdx.json`. */
export function writeBundledPackages(dist, paths, beside) {
  const bundled = describePackages(paths);
  const installed = describePackages(beside);
  writeFileSync(join(dist, 'web/licenses.json'), toJson({ packages: bundled }));
  writeFileSync(join(dist, 'sbom.cdx.json'), toJson(toBom(bundled, installed)));
}

/** The texts of the licenses of these packages. */
export function bundledNotices(paths) {
  return describePackages(paths)
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
    .join('\n');
}

function toJson(value) {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

function describePackages(paths) {
  return [...new Set(paths)]
    .map((path) => {
      const folder = join(root, path);
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const text = readTexts(folder, manifest);
      return { name: manifest.name, version: manifest.version, license: toLicense(manifest, text), text };
    })
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Old packages have an object, or a list of them; some only a text. */
function toLicense({ license, licenses }, text = '') {
  const found = license ?? licenses?.[0];
  return typeof found === 'string'
    ? found
    : (found?.type ?? (/^(?:The )?MIT License/i.test(text) ? 'MIT' : 'UNKNOWN'));
}

/** All of its licenses and notices. A package without a file has said which license it has, and whose it is. */
function readTexts(folder, manifest) {
  const files = readdirSync(folder)
    .filter(
      (file) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(file) && !/\.(?:js|json)$/.test(file),
    )
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const { name, author } = manifest;
  const who = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const license = toLicense(manifest);
  const terms = TERMS[license];
  if (!terms) throw new Error(`${name} has no text of its license (${license}).`);
  return `${license} License\n\nCopyright (c) ${who.replace(/\s*<[^>]*>/, '')}\n\n${terms}`;
}

/** Of licenses that packages without a text have. */
const TERMS = {
  // Of the same authors as the only package without it.
  get 'Apache-2.0'() {
    return readFileSync(join(root, 'node_modules/@sigstore/bundle/LICENSE'), 'utf8').trim();
  },
  MIT: readFileSync(join(root, 'LICENSE'), 'utf8').split('\n\n').slice(2).join('\n\n').trim(),
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
};

/** Bundled packages are parts of the product; those that npm installs beside it are optional. */
function toBom(bundled, installed) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
  const self = `pkg:npm/crewagent@${version}`;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const integrity = new Map(
    Object.entries(locked).map(([path, entry]) => [`${nameIn(path)}@${entry.version}`, entry.integrity]),
  );
  const toComponent = (scope) => (one) => {
    const purl = purlOf(one);
    const [algorithm, hash] = integrity.get(`${one.name}@${one.version}`)?.split('-', 2) ?? [];
    const alg = { sha512: 'SHA-512', sha1: 'SHA-1' }[algorithm];
    return {
      type: 'library',
      'bom-ref': purl,
      name: one.name,
      version: one.version,
      scope,
      ...(alg ? { hashes: [{ alg, content: Buffer.from(hash, 'base64').toString('hex') }] } : {}),
      licenses: [
        /[()]|\s(?:OR|AND)\s/.test(one.license) ? { expression: one.license } : toLicenseChoice(one.license),
      ],
      purl,
    };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'crewagent',
        version,
        licenses: [{ license: { id: license } }],
        purl: self,
      },
    },
    components: [...bundled.map(toComponent('required')), ...installed.map(toComponent('optional'))],
    dependencies: [{ ref: self, dependsOn: [...bundled, ...installed].map(purlOf) }],
  };
}

function nameIn(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function toLicenseChoice(license) {
  return license === 'UNKNOWN' ? { license: { name: 'unknown' } } : { license: { id: license } };
}

/** Packages that npm installs beside the command line; absent ones are for other systems. */
export function packagesBeside() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
  return Object.keys(optionalDependencies)
    .map((name) => `node_modules/${name}`)
    .filter((path) => existsSync(join(root, path)));
}
