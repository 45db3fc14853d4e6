/** Finds the pictures that a person's message mentions, and copies them to the files of the Work, where requests find them. */
import type { QueuedInput } from '@crewagent/protocol/event-messages';
import {
  MAX_PICTURE_BYTES,
  MAX_PICTURES,
  type Picture,
  type PictureType,
} from '@crewagent/protocol/pictures';
import { errnoOf } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { formatMountPath, type MountPath, parseMountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { LiveRun } from '../live-run.ts';
import { rulesOf } from '../live-run.ts';

/** A path of the project, alone or as a code span. */
const MENTION = /`(@project\/[^`\n]+)`|(@project\/\S+)/g;
/** After a path that ends a sentence. */
const PUNCTUATION = /[)\].,;:!?'"”』」。，；：！？）]+$/u;
const PICTURE = /\.(?:png|jpe?g|webp|gif)$/i;

/** Paths in the order of the text. */
export function mentionedPictures(text: string): string[] {
  if (!text.includes('@project/')) return [];
  const paths = [...text.matchAll(MENTION)]
    .map(([, quoted, plain = '']) => quoted ?? plain.replace(PUNCTUATION, ''))
    .filter((path) => PICTURE.test(path));
  return [...new Set(paths)];
}

/** Shows pictures to the model that its person did not mention in a message; undefined if none of the files is one. */
export function toPictureInput(intro: string, paths: readonly string[]): QueuedInput | undefined {
  const pictures = paths.filter((path) => PICTURE.test(path));
  if (pictures.length === 0) return undefined;
  const content = `${intro}: ${pictures.map((path) => `\`${path}\``).join(', ')}`;
  return { purpose: 'directive', content, subject: { kind: 'pictures' } };
}

/** Undefined if there are none. Warns the person about pictures that the model will not see. */
export async function findPictures(run: LiveRun, text: string): Promise<Picture[] | undefined> {
  const pictures: Picture[] = [];
  for (const path of mentionedPictures(text)) {
    const picture = pictures.length < MAX_PICTURES ? await copyPicture(run.sources.files, path) : 'too-large';
    if (picture === 'too-large') warn(run, 'PICTURE_TOO_LARGE', path);
    else if (picture) pictures.push(picture);
  }
  if (pictures.length === 0) return undefined;
  if (!rulesOf(run).pictures && run.sources.adapter.traits.rules)
    warn(run, 'PICTURES_NOT_SEEN', pictures[0]?.path);
  return pictures;
}

const WARNINGS = {
  PICTURE_TOO_LARGE:
    'A picture is larger than 5 MB, or the fifth in a message: the model gets its name only.',
  PICTURES_NOT_SEEN: 'This model does not take pictures: it gets the name of the file only.',
} as const;

function warn({ emit, sources }: LiveRun, code: keyof typeof WARNINGS, path = ''): void {
  emit({
    type: 'warning',
    code,
    message: WARNINGS[code],
    details: { path, model: sources.adapter.traits.name },
  });
}

/** Undefined if it is not a picture that can be read. */
async function copyPicture(files: MountedFs, text: string): Promise<Picture | 'too-large' | undefined> {
  const parsed = parseMountPath(text);
  if (!parsed.ok) return undefined;
  try {
    const path = files.resolve(parsed.path, 'read');
    return await files.withFile(path, async ({ handle, bytes }) => {
      if (bytes > MAX_PICTURE_BYTES) return 'too-large';
      const content = await handle.readFile();
      const mime = typeOf(content);
      if (!mime) return undefined;
      const picture: Picture = {
        path: formatMountPath(path),
        mime,
        bytes: content.length,
        sha256: sha256Of(content),
      };
      await files.replace(files.resolve(storedPathOf(picture), 'write'), content, {
        tempName: stagingName('writing'),
      });
      return picture;
    });
  } catch (error) {
    // The path stays in the text: the model can say that it does not exist.
    if (error instanceof SandboxViolation || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** The bytes as they were shown; undefined if the copy is gone. */
export async function loadPicture(files: MountedFs, picture: Picture): Promise<Uint8Array | undefined> {
  try {
    const bytes = await files.withFile(storedPathOf(picture), ({ handle }) => handle.readFile());
    return sha256Of(bytes) === picture.sha256 ? bytes : undefined;
  } catch (error) {
    if (error instanceof SandboxViolation || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

function storedPathOf({ sha256 }: Picture): MountPath {
  return { mount: '@state', segments: ['pictures', sha256] };
}

/** By content: a name may be wrong. */
function typeOf(content: Buffer): PictureType | undefined {
  const head = content.toString('latin1', 0, 12);
  if (head.startsWith('\u0089PNG\r\n')) return 'image/png';
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : undefined;
}
