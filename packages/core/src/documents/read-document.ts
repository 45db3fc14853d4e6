/** A document of a project with the images that it shows, read through the mounts: never a secret file, never outside. */
import { posix } from 'node:path';
import type { MarkedToken } from 'marked';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { parseUtf8 } from '../base/utf8.ts';
import { toProjectPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { type DocumentImage, toDocumentImage } from './document-image.ts';
import { insideOf, readMarkdown } from './read-markdown.ts';

export interface ProjectDocument {
  /** A mount path. */
  readonly path: string;
  readonly text: string;
  /** By the target that the text names. */
  readonly images: ReadonlyMap<string, DocumentImage>;
}

export interface DocumentSource {
  /** Folder of the project on this machine. */
  readonly project: string;
  readonly secretPatterns: readonly string[];
}

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_IMAGES = 50;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

/** Undefined if the file is gone or is not a text. */
export async function readDocument(
  source: DocumentSource,
  path: string,
): Promise<ProjectDocument | undefined> {
  const files = createMountedFs(
    { project: source.project, pkg: undefined, state: undefined },
    createSecretCheck(source.secretPatterns),
  );
  const bytes = await readFile(files, path, MAX_BYTES);
  const text = bytes && toText(bytes);
  if (text === undefined) return undefined;
  return { path, text, images: await readImages(files, path, text) };
}

function toText(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : parseUtf8(bytes);
}

async function readImages(
  files: MountedFs,
  path: string,
  text: string,
): Promise<ReadonlyMap<string, DocumentImage>> {
  const images = new Map<string, DocumentImage>();
  const targets = [...new Set(targetsIn(readMarkdown(text)))].slice(0, MAX_IMAGES);
  for (const target of targets) {
    if (/^(?:[a-z][\w+.-]*:|\/\/)/i.test(target)) continue;
    // A target that leads out of the project is refused by the mount.
    const file = posix.join(posix.dirname(path), decodeTarget(target));
    const bytes = await readFile(files, file, MAX_IMAGE_BYTES).catch(ifRefused);
    const image = bytes && toDocumentImage(bytes);
    if (image) images.set(target, image);
  }
  return images;
}

/** An image that may not be read is left out. */
function ifRefused(error: unknown): undefined {
  if (!(error instanceof CrewError)) throw error;
}

function targetsIn(tokens: readonly MarkedToken[]): readonly string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'image') return [token.href];
    if (token.type === 'list')
      return token.items.flatMap(({ tokens: inside }) => targetsIn(insideOf(inside)));
    if (token.type === 'table')
      return [token.header, ...token.rows]
        .flat()
        .flatMap(({ tokens: inside }) => targetsIn(insideOf(inside)));
    return 'tokens' in token ? targetsIn(insideOf(token.tokens)) : [];
  });
}

function decodeTarget(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}

/** Undefined for a file that is missing, too large, or not in the project. */
async function readFile(files: MountedFs, path: string, maxBytes: number): Promise<Buffer | undefined> {
  // Requests and documents may name anything.
  if (!path.startsWith('@project/') || path.includes('\0')) return undefined;
  try {
    return await files.withFile(toProjectPath(path), async ({ handle, bytes }) =>
      bytes > maxBytes ? undefined : handle.readFile(),
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    if (error instanceof SandboxViolation)
      throw new CrewError('PermissionDenied', `"${path}" ${error.message}.`);
    throw error;
  }
}
