/** Packages on a registry of npm packages: versions, tarballs, publishing. No npm is started, and no script of a package. */
import { createHash } from 'node:crypto';
import { isObject, parseObject } from '@crewagent/protocol/json-object';
import { toPlainText } from '@crewagent/protocol/plain-text';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import { LIMITS } from '../bmad/archive/entry-rules.ts';
import { MAX_BUNDLE_BYTES } from '../bmad/signing/read-identity.ts';
import { fetchBytes, shown, unreachable } from './fetch-bytes.ts';
import { readNpmSettings } from './npm-settings.ts';
import type { Environment } from './proxy.ts';

export interface NpmAddress {
  readonly name: string;
  /** A version or a tag of the registry, such as `next`; default: `latest`. */
  readonly wanted?: string | undefined;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** The text after `npm:`. */
export function parseNpmAddress(text: string): NpmAddress {
  const at = text.indexOf('@', 1);
  const [name, wanted] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  requireNpmName(name);
  if (wanted !== undefined && !/^[\w][\w.+-]{0,100}$/.test(wanted))
    throw new CrewError(
      'USAGE',
      `"${wanted.slice(0, 80)}" is neither a version nor a tag of an npm package.`,
    );
  return { name, wanted };
}

export function requireNpmName(name: string): string {
  if (NAME.test(name) && name.length <= 214) return name;
  throw new CrewError(
    'USAGE',
    `"${toPlainText(name).slice(0, 80)}" cannot be the name of an npm package: use lower-case letters, digits and dashes, such as npm:@team/notes.`,
  );
}

export interface RegistryOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

const versionSchema = z.object({
  version: z.string(),
  dist: z.object({
    tarball: z.string(),
    integrity: z.optional(z.string()),
    shasum: z.optional(z.string()),
    attestations: z.catch(z.optional(z.object({ url: z.string() })), undefined),
  }),
});
export type NpmVersion = z.infer<typeof versionSchema>;

const MAX_DOCUMENT_BYTES = 32 * 1_048_576;

/** The version that an address means now. */
export async function findNpmVersion(
  { name, wanted }: NpmAddress,
  options: RegistryOptions,
): Promise<NpmVersion> {
  const address = documentAddress(name, options);
  const document = await readDocument(address, options);
  if (!document)
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `${shown(address)} does not exist, or needs a token in ~/.npmrc.`,
    );
  const [tags, versions] = [document['dist-tags'], document.versions];
  const tag = wanted ?? 'latest';
  const version = isObject(tags) && Object.hasOwn(tags, tag) ? String(tags[tag]) : tag;
  const found =
    isObject(versions) && Object.hasOwn(versions, version)
      ? versionSchema.safeParse(versions[version]).data
      : undefined;
  if (!found)
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `${name} has no version "${toPlainText(tag).slice(0, 80)}" at ${shown(address)}.`,
    );
  return found;
}

/** Checked against the hash that the registry has of it. */
export async function fetchTarball(
  name: string,
  { dist }: NpmVersion,
  options: RegistryOptions,
): Promise<Buffer> {
  const from = readNpmSettings(options.env).registryFor(name);
  const address = toListed(dist.tarball, name, from);
  const { status, body } = await fetchFrom(from, address, { maxBytes: LIMITS.archiveBytes, ...options });
  if (status !== 200) throw unreachable(address, `answers with status ${status}`);
  if (!hasIntegrity(body, dist))
    throw unreachable(address, 'sends another tarball than the registry has listed');
  return body;
}

const PROVENANCE = 'https://slsa.dev/provenance/';

/**
 * The Sigstore bundle that says which pipeline built the tarball; undefined if the registry has none. What else it has, such as that
 * it published the version itself, names nobody. A mirror lists the address of the registry that it mirrors, and may have the path or not.
 */
export async function fetchProvenance(
  name: string,
  { dist }: NpmVersion,
  options: RegistryOptions,
): Promise<string | undefined> {
  if (!dist.attestations) return undefined;
  const from = readNpmSettings(options.env).registryFor(name);
  const { pathname } = toListed(dist.attestations.url, name, from);
  const address = new URL(`${from.href.replace(/\/+$/, '')}${pathname}`);
  const { status, body } = await fetchFrom(from, address, { maxBytes: 4 * MAX_BUNDLE_BYTES, ...options });
  const { attestations } = (status === 200 ? parseObject(body.toString()) : undefined) ?? {};
  const found = (Array.isArray(attestations) ? (attestations as unknown[]) : []).find(
    (one) => isObject(one) && String(one.predicateType).startsWith(PROVENANCE),
  );
  return isObject(found) ? (JSON.stringify(found.bundle) ?? '') : undefined;
}

function toListed(address: string, name: string, from: URL): URL {
  if (URL.canParse(address)) return new URL(address);
  throw unreachable(from, `names no address of what it lists for ${name}`);
}

function fetchFrom(
  from: URL,
  address: URL,
  { env, signal, maxBytes }: RegistryOptions & { readonly maxBytes: number },
) {
  const headersFor = readNpmSettings(env).authorize;
  return fetchBytes(address, { from, env, signal, maxBytes, headersFor });
}

function hasIntegrity(body: Buffer, { integrity, shasum }: NpmVersion['dist']): boolean {
  for (const algorithm of ['sha512', 'sha384', 'sha256', 'sha1']) {
    const [, expected] = new RegExp(`\\b${algorithm}-([A-Za-z0-9+/=]+)`).exec(integrity ?? '') ?? [];
    if (expected !== undefined) return createHash(algorithm).update(body).digest('base64') === expected;
  }
  return shasum !== undefined && createHash('sha1').update(body).digest('hex') === shasum.toLowerCase();
}

export interface NpmRelease {
  /** Name, version and what else npm shows. */
  readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
}

/** As `npm publish` does it. Throws TARGET_EXISTS if the version is there already. */
export async function putNpmVersion(
  { manifest, tarball }: NpmRelease,
  options: RegistryOptions,
): Promise<void> {
  const { name, version } = manifest;
  const { env, signal } = options;
  const address = documentAddress(name, options);
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
    tarball: new URL(
      `${name}/-/${file.replace(/^@[^/]+\//, '')}`,
      address.href.slice(0, -encodeName(name).length),
    ).href,
  };
  const body = Buffer.from(
    JSON.stringify({
      _id: name,
      name,
      description: manifest.description,
      'dist-tags': { latest: version },
      versions: { [version]: { _id: `${name}@${version}`, ...manifest, dist } },
      access: null,
      _attachments: {
        [file]: {
          content_type: 'application/octet-stream',
          data: tarball.toString('base64'),
          length: tarball.length,
        },
      },
    }),
  );
  const { authorize } = readNpmSettings(env);
  const sent = await fetchBytes(address, {
    method: 'PUT',
    body,
    env,
    signal,
    maxBytes: MAX_DOCUMENT_BYTES,
    headersFor: (at) => ({ 'content-type': 'application/json', ...authorize(at) }),
  });
  if (sent.status === 401 || sent.status === 403) throw noAccess(address, sent.body);
  if (sent.status === 409) throw alreadyThere(manifest, address);
  if (sent.status < 200 || sent.status >= 300)
    throw unreachable(address, `did not accept the package (${sent.status})${reasonIn(sent.body)}`);
}

/** Throws TARGET_EXISTS. */
export async function requireNewVersion(
  manifest: { readonly name: string; readonly version: string },
  options: RegistryOptions,
): Promise<void> {
  const address = documentAddress(manifest.name, options);
  const versions = (await readDocument(address, options))?.versions;
  if (isObject(versions) && Object.hasOwn(versions, manifest.version)) throw alreadyThere(manifest, address);
}

function alreadyThere({ name, version }: { name: string; version: string }, address: URL): CrewError {
  return new CrewError(
    'TARGET_EXISTS',
    `${name}@${version} is published at ${shown(address)} already. A version is never replaced: increase version in bmad.json, or in the frontmatter of a method.`,
  );
}

function noAccess(address: URL, body: Buffer): CrewError {
  return new CrewError(
    'PermissionDenied',
    `${shown(address)} refuses${reasonIn(body)}. Add a token for it to ~/.npmrc, with "npm login" or as //${address.host}/:_authToken=TOKEN.`,
  );
}

/** What the registry says, as a part of a sentence. */
function reasonIn(body: Buffer): string {
  const { error, reason } = parseObject(body.toString()) ?? {};
  const text = [reason, error].find((one) => typeof one === 'string' && one !== '');
  return text === undefined ? '' : `: ${toPlainText(String(text)).slice(0, 200)}`;
}

function encodeName(name: string): string {
  return name.replace('/', '%2f');
}

export function documentAddress(name: string, { env }: RegistryOptions): URL {
  return new URL(encodeName(requireNpmName(name)), readNpmSettings(env).registryFor(name));
}

/** Undefined if the registry has no such package. */
async function readDocument(
  address: URL,
  { env, signal }: RegistryOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { authorize } = readNpmSettings(env);
  const { status, body } = await fetchBytes(address, {
    env,
    signal,
    maxBytes: MAX_DOCUMENT_BYTES,
    headersFor: (at) => ({
      accept: 'application/vnd.npm.install-v1+json, application/json',
      ...authorize(at),
    }),
  });
  if (status === 404 || status === 405) return undefined;
  if (status === 401 || status === 403) throw noAccess(address, body);
  if (status !== 200) throw unreachable(address, `answers with status ${status}`);
  const document = parseObject(body.toString());
  if (!document) throw unreachable(address, 'does not answer like a registry of npm packages');
  return document;
}
