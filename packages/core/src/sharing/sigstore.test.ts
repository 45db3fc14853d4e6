/** Packages with a Sigstore bundle beside them, wherever they come from. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { listInstalled } from '../bmad/installed-packages.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { startHttpServer } from '../testing/http-server.ts';
import { testContext } from '../testing/inspect.ts';
import { zipOf } from '../testing/packages/raw-zip.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { createAuthority, IDENTITY, ISSUER, type SignOptions } from '../testing/sigstore-authority.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { addPackage, inspectAddress, showPackage } from './add-package.ts';
import { listSigners, setTrustRoot, trustKey } from './signing-keys.ts';
import { writeTarball } from './write-tarball.ts';

const authority = createAuthority();
const KEY = `sigstore:${ISSUER} ${IDENTITY}`;
const SHOWN = `${IDENTITY} via ${ISSUER} (Sigstore)`;

/** Versions of one package: other bytes under the same name. */
function archiveOf(version: string): Buffer {
  return zipOf(
    samplePackage(({ bmad }) => {
      bmad.version = version;
    }),
  );
}

const bundleOf = (archive: Buffer, options?: SignOptions): string =>
  JSON.stringify(authority.bundle(archive, options));

async function createDeps() {
  const home = await tempFolder();
  const store = openDiskStore(join(home, 'store'));
  await setTrustRoot(JSON.stringify(authority.trustRoot), store);
  const deps = { store, context: testContext, env: { HOME: home } };
  const write = async (version: string, toBundle: (archive: Buffer) => string | undefined = bundleOf) => {
    const [path, archive] = [join(home, `${version}.bmad`), archiveOf(version)];
    await writeFile(path, archive);
    const bundle = toBundle(archive);
    if (bundle !== undefined) await writeFile(`${path}.sigstore.json`, bundle);
    return path;
  };
  return { ...deps, deps, home, write };
}

describe('a package with a Sigstore bundle', () => {
  it('names its signer, who is known from then on', async () => {
    const { deps, store, write } = await createDeps();
    const path = await write('1.0.0');
    const signer = { status: 'new', key: KEY, fingerprint: SHOWN };
    expect(await inspectAddress(path, deps)).toMatchObject({ archive: { signer } });
    expect(await addPackage({ address: path }, deps)).toMatchObject({ signer });
    expect((await showPackage('sample', deps)).signer).toMatchObject({ status: 'known', fingerprint: SHOWN });
    expect(await addPackage({ address: await write('1.1.0') }, deps)).toMatchObject({
      signer: { status: 'known' },
    });
    expect(await listSigners(store)).toMatchObject([{ key: KEY, packages: ['sample'] }]);
  });

  it('is refused from another signer and without its bundle, until a person accepts it', async () => {
    const { deps, write } = await createDeps();
    await addPackage({ address: await write('1.0.0') }, deps);
    const other = await write('1.1.0', (archive) => bundleOf(archive, { identity: 'eve@example.org' }));
    await expect(addPackage({ address: other }, deps)).rejects.toMatchObject({
      code: 'SIGNER_CHANGED',
      message: expect.stringContaining(
        `eve@example.org via ${ISSUER} (Sigstore) instead of ${SHOWN}`,
      ) as string,
    });
    const issued = await write('1.2.0', (archive) =>
      bundleOf(archive, { issuer: 'https://other.example.org' }),
    );
    await expect(addPackage({ address: issued }, deps)).rejects.toMatchObject({ code: 'SIGNER_CHANGED' });
    const bare = await write('1.3.0', () => undefined);
    await expect(addPackage({ address: bare }, deps)).rejects.toMatchObject({ code: 'SIGNER_CHANGED' });
    expect(await addPackage({ address: other, acceptsSigner: true }, deps)).toMatchObject({
      signer: { status: 'changed' },
    });
  });

  it('may be built by a workflow, which is the same for every release', async () => {
    const { deps, store, write } = await createDeps();
    const workflow = 'https://github.com/acme/sample/.github/workflows/release.yml';
    const addBuilt = async (version: string, identity: string) =>
      addPackage({ address: await write(version, (archive) => bundleOf(archive, { identity })) }, deps);
    expect(await addBuilt('1.0.0', `${workflow}@refs/tags/v1.0.0`)).toMatchObject({
      signer: { status: 'new', key: `sigstore:${ISSUER} ${workflow}@refs/tags/*` },
    });
    expect(await addBuilt('1.1.0', `${workflow}@refs/tags/v1.1.0`)).toMatchObject({
      signer: { status: 'known' },
    });
    for (const other of [
      `${workflow}@refs/heads/main`,
      `${workflow}@refs/pull/1/merge`,
      `${workflow.replace('acme', 'eve')}@refs/tags/v1.1.0`,
      `${workflow.replace('release', 'build')}@refs/tags/v1.1.0`,
    ])
      await expect(addBuilt('1.2.0', other)).rejects.toMatchObject({ code: 'SIGNER_CHANGED' });
    await trustKey(`sigstore:${ISSUER} ${workflow}@refs/tags/v1.0.0`, 'Release', store, new Date());
    expect(await addBuilt('1.3.0', `${workflow}@refs/tags/v1.3.0`)).toMatchObject({
      signer: { status: 'trusted' },
    });
  });

  it('may be signed by an identity that a person trusts for every name', async () => {
    const { deps, store, write } = await createDeps();
    await trustKey(KEY, 'Release', store, new Date());
    expect(await addPackage({ address: await write('1.0.0') }, deps)).toMatchObject({
      signer: { status: 'trusted', name: 'Release' },
    });
  });

  it('is not installed with a bundle of other bytes or another authority, or with one that is damaged', async () => {
    const { deps, store, write } = await createDeps();
    const bundles = [
      bundleOf(archiveOf('9.9.9')),
      JSON.stringify(createAuthority().bundle(archiveOf('1.0.0'))),
      '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}',
      'x'.repeat(600_000),
    ];
    for (const bundle of bundles) {
      const path = await write('1.0.0', () => bundle);
      await expect(addPackage({ address: path }, deps)).rejects.toMatchObject({ code: 'SIGSTORE_INVALID' });
      await expect(inspectAddress(path, deps)).rejects.toMatchObject({ code: 'SIGSTORE_INVALID' });
    }
    // The public Sigstore does not know the authority.
    await setTrustRoot(undefined, store);
    const path = await write('1.0.0');
    await expect(addPackage({ address: path }, deps)).rejects.toMatchObject({ code: 'SIGSTORE_INVALID' });
    expect(await listInstalled(store)).toEqual([]);
  });

  it('comes from a server with its bundle, if there is one', async () => {
    const [archive, later] = [archiveOf('1.0.0'), archiveOf('1.1.0')];
    const files: Record<string, string | Buffer> = {
      '/a.bmad?token=1': archive,
      '/a.bmad.sigstore.json?token=1': bundleOf(archive),
      '/b.bmad': later,
      '/b.bmad.sigstore.json': '<!DOCTYPE html>',
    };
    const server = await startHttpServer(({ url = '' }, response) => {
      const file = files[url];
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    onTestFinished(() => server.close());
    const { deps } = await createDeps();
    expect(await addPackage({ address: `${server.url}/a.bmad?token=1` }, deps)).toMatchObject({
      signer: { status: 'new', key: KEY },
    });
    // A page in place of a bundle is none.
    await expect(addPackage({ address: `${server.url}/b.bmad` }, deps)).rejects.toMatchObject({
      code: 'SIGNER_CHANGED',
    });
    const fresh = await createDeps();
    expect(await addPackage({ address: `${server.url}/b.bmad` }, fresh.deps)).toMatchObject({
      signer: { status: 'unsigned' },
    });
  });

  it('may be in the tarball of a registry, beside its bundle', async () => {
    const archive = archiveOf('1.0.0');
    const tarball = writeTarball({
      'package.json': Buffer.from('{}'),
      'sample.bmad': archive,
      'sample.bmad.sigstore.json': Buffer.from(bundleOf(archive)),
    });
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const server = await startHttpServer(({ url = '' }, response) => {
      if (url === '/sample.tgz') return void response.end(tarball);
      const dist = { tarball: `${server.url}/sample.tgz`, integrity };
      const versions = { '1.0.0': { name: 'sample', version: '1.0.0', dist } };
      response.end(JSON.stringify({ name: 'sample', 'dist-tags': { latest: '1.0.0' }, versions }));
    });
    onTestFinished(() => server.close());
    const { deps } = await createDeps();
    const env = { ...deps.env, npm_config_registry: server.url };
    expect(await addPackage({ address: 'npm:sample' }, { ...deps, env })).toMatchObject({
      package: { hash: sha256Of(archive) },
      signer: { key: KEY },
    });
  });

  describe('or provenance in a registry', () => {
    const WORKFLOW = 'https://github.com/acme/sample/.github/workflows/release.yml';
    const ACTIONS = 'https://token.actions.githubusercontent.com';
    const key = `sigstore:${ACTIONS} ${WORKFLOW}@refs/tags/*`;
    const attested = (tarball: Buffer, options?: SignOptions): unknown => ({
      predicateType: 'https://slsa.dev/provenance/v1',
      bundle: authority.bundle(tarball, {
        isAttestation: true,
        identity: `${WORKFLOW}@refs/tags/v1.0.0`,
        issuer: ACTIONS,
        ...options,
      }),
    });

    /** A registry with one package; `answer`: what it says about where the tarball was built. */
    async function startRegistry(answer: (tarball: Buffer) => unknown) {
      const tarball = writeTarball({
        'package.json': Buffer.from('{}'),
        'sample.bmad': archiveOf('1.0.0'),
      });
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const server = await startHttpServer(({ url = '' }, response) => {
        if (url === '/sample.tgz') return void response.end(tarball);
        if (url === '/mirror/-/npm/v1/attestations/sample@1.0.0') {
          const said = answer(tarball);
          if (typeof said === 'number') return void response.writeHead(said).end('{}');
          return void response.end(typeof said === 'string' ? said : JSON.stringify({ attestations: said }));
        }
        // As a mirror lists it.
        const attestations = {
          url: 'https://registry.example.org/-/npm/v1/attestations/sample@1.0.0',
        };
        const dist = { tarball: `${server.url}/sample.tgz`, integrity, attestations };
        const versions = { '1.0.0': { name: 'sample', version: '1.0.0', dist } };
        response.end(JSON.stringify({ name: 'sample', 'dist-tags': { latest: '1.0.0' }, versions }));
      });
      onTestFinished(() => server.close());
      const { deps } = await createDeps();
      return { ...deps, env: { ...deps.env, npm_config_registry: `${server.url}/mirror/` } };
    }

    it('names the pipeline that built the tarball', async () => {
      const published = { predicateType: 'https://github.com/npm/attestation/publish/v0.1', bundle: {} };
      const deps = await startRegistry((tarball) => [published, attested(tarball)]);
      const signer = { status: 'new', key };
      expect(await inspectAddress('npm:sample', deps)).toMatchObject({ archive: { signer } });
      expect(await addPackage({ address: 'npm:sample' }, deps)).toMatchObject({ signer });
      expect((await showPackage('sample', deps)).signer).toMatchObject({ status: 'known', key });
    });

    it('is refused for another tarball, from another authority, and if it is damaged', async () => {
      const answers: ((tarball: Buffer) => unknown)[] = [
        () => [attested(Buffer.from('another tarball'))],
        (tarball) => [
          { predicateType: 'https://slsa.dev/provenance/v1', bundle: createAuthority().bundle(tarball) },
        ],
        () => [{ predicateType: 'https://slsa.dev/provenance/v1', bundle: { mediaType: 1 } }],
        () => [{ predicateType: 'https://slsa.dev/provenance/v1' }],
      ];
      for (const answer of answers) {
        const deps = await startRegistry(answer);
        await expect(addPackage({ address: 'npm:sample' }, deps)).rejects.toMatchObject({
          code: 'SIGSTORE_INVALID',
        });
        await expect(inspectAddress('npm:sample', deps)).rejects.toMatchObject({ code: 'SIGSTORE_INVALID' });
        expect(await listInstalled(deps.store)).toEqual([]);
      }
    });

    it('is none if the registry has none of this kind', async () => {
      for (const said of [
        404,
        403,
        500,
        [],
        'no JSON',
        [{ predicateType: 'https://example.org/scan', bundle: {} }],
        [null, 1],
      ]) {
        const deps = await startRegistry(() => said);
        expect(await addPackage({ address: 'npm:sample' }, deps)).toMatchObject({
          signer: { status: 'unsigned' },
        });
      }
    });
  });
});
