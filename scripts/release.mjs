/**
 * `npm run release`: builds the npm packages twice, and fails if the bytes differ. Installs them in empty folders and tries them. Then
 * `release/` contains the packages, the SBOM of the program and checksums, which are signed if `CREWAGENT_RELEASE_KEY` names an Ed25519 key (PEM).
 */
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliEntry } from './build.mjs';
import { buildClient, writeDeclarations } from './build-client.mjs';
import { webDist } from './build-web.mjs';
import { fail, npm, root, runNode, runTool, say, setUp } from './set-up.mjs';

const dist = join(cliEntry, '..');
const release = join(root, 'release');
const scratch = mkdtempSync(join(tmpdir(), 'crewagent-release-'));

setUp();
try {
  const first = { program: buildPackage('first'), client: await packClient('first-client') };
  const second = { program: buildPackage('second'), client: await packClient('second-client') };
  for (const name of ['program', 'client'])
    if (first[name].hash !== second[name].hash) {
      const files = describeDifferences(first[name], second[name]).join('\n');
      fail(`Two builds of the same sources differ:\n${files}`);
    }
  tryInstalled(first.program.archive);
  tryClient(first.client.archive);
  writeRelease(first.program, first.client);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** From nothing: without files of earlier builds, and without code that was compiled for one version of Node. */
function buildPackage(name) {
  for (const path of [dist, webDist, join(root, '.cache/build-stamp'), join(root, '.cache/web-build-stamp')])
    rmSync(path, { recursive: true, force: true });
  if (runNode([join(root, 'scripts/build.mjs')]) !== 0) fail('The product could not be built.');
  const folder = join(scratch, name);
  const isPart = (path) => path !== join(dist, 'code');
  cpSync(dist, join(folder, 'dist'), { recursive: true, filter: isPart });
  for (const file of ['LICENSE', 'README.md']) cpSync(join(root, file), join(folder, file));
  const { devDependencies: _, ...manifest } = JSON.parse(
    readFileSync(join(root, 'apps/cli/package.json'), 'utf8'),
  );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return pack(name, folder);
}

async function packClient(name) {
  const folder = join(scratch, name);
  await buildClient(folder);
  if (!writeDeclarations(folder)) fail('The declarations of the client could not be built.');
  return pack(name, folder);
}

function pack(name, folder) {
  const packed = join(scratch, `${name}-packed`);
  mkdirSync(packed);
  if (npm(['pack', '--silent', '--pack-destination', packed], folder).status !== 0)
    fail('The package could not be packed.');
  const [file] = readdirSync(packed);
  const archive = join(packed, file);
  return { folder, file, archive, hash: hashOf(archive) };
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function describeDifferences(first, second) {
  const filesOf = ({ folder }) =>
    new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((path) => [path.slice(folder.length + 1), hashOf(path)]),
    );
  const [one, other] = [filesOf(first), filesOf(second)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
}

/** As a user installs it, without the optional packages. */
function tryInstalled(archive) {
  const folder = join(scratch, 'installed');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const { status } = npm(
    ['install', archive, '--omit=optional', '--no-audit', '--no-fund', '--silent'],
    folder,
  );
  if (status !== 0) fail('The package could not be installed.');
  const program = join(folder, 'node_modules/crewagent/dist/crewagent.js');
  const example = join(folder, 'node_modules/crewagent/dist/examples/hello-branch.bmad');
  const env = { ...process.env, CREWAGENT_HOME: join(folder, 'store') };
  for (const args of [['--version'], ['licenses', 'zod'], ['validate', example], ['rehearse', example]]) {
    const { status: code, stderr } = spawnSync(process.execPath, [program, ...args], {
      ...{ cwd: folder, env, encoding: 'utf8' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (code !== 0) fail(`The installed package failed at "crewagent ${args[0]}":\n${stderr}`);
  }
}

/** Its types with those of its dependencies, and both entries in Node. */
function tryClient(archive) {
  const folder = join(scratch, 'installed-client');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const { status } = npm(['install', archive, '--no-audit', '--no-fund', '--silent'], folder);
  if (status !== 0) fail('The client could not be installed.');
  const file = join(folder, 'try.ts');
  writeFileSync(
    file,
    `import { connect, type Stop } from '@crewagent/client';
import { connectLocal } from '@crewagent/client/local';
const client = (await connectLocal('store')) ?? connect({ url: 'http://127.0.0.1:9', token: 'x' });
export const wait = (id: string): Promise<Stop> => client.work(id).wait();
// @ts-expect-error A Work has a project.
export const start = () => client.start({ package: 'x' });
`,
  );
  const options = '--strict --module nodenext --target es2022 --lib es2023,dom --types';
  if (runTool('typescript7', [...options.split(' '), '', file], { bin: 'tsc', cwd: folder }) !== 0)
    fail('The types of the client cannot be used.');
  if (runNode([join(folder, 'try.js')], { cwd: folder }) !== 0) fail('The installed client failed.');
}

function writeRelease({ folder, file, archive }, client) {
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  const bill = file.replace(/\.tgz$/, '.cdx.json');
  cpSync(archive, join(release, file));
  cpSync(join(folder, 'dist/sbom.cdx.json'), join(release, bill));
  cpSync(client.archive, join(release, client.file));
  const sums = [file, bill, client.file].map((name) => `${hashOf(join(release, name))}  ${name}\n`).join('');
  writeFileSync(join(release, 'SHA256SUMS'), sums);
  const { CREWAGENT_RELEASE_KEY: key } = process.env;
  if (key)
    writeFileSync(
      join(release, 'SHA256SUMS.sig'),
      sign(null, Buffer.from(sums), createPrivateKey(readFileSync(key))),
    );
  say(`${sums}Built twice with the same bytes, installed and tried. The files are in release/.`);
}
