/** Writes a run as a zip, one content in memory at a time. Deterministic: the compressor is written in JavaScript, as for packages. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import { deflateSync } from 'fflate';
import { CrewError } from '../base/crew-error.ts';
import type { WriteChunk } from '../base/durable-files.ts';
import { LIMITS } from './limits.ts';
import { toCentralHeader, toComment, toEnd, toLocalHeader, type ZipEntry } from './zip-form.ts';

export interface ZipSource {
  readonly name: string;
  read(): Promise<Buffer>;
}

/** `sources`: sorted by name. `sign` gets the digest. */
export async function writeZip(
  sources: readonly ZipSource[],
  write: WriteChunk,
  sign: (digest: string) => PackageSignature | undefined,
): Promise<{ readonly bytes: number; readonly digest: string }> {
  const hash = createHash('sha256');
  let position = 0;
  const add = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk);
    position += chunk.length;
    if (position > LIMITS.fileBytes) throw tooLarge();
    await write(chunk);
  };
  if (sources.length > LIMITS.entries) throw tooLarge();
  const directory: Buffer[] = [];
  for (const { name, read } of sources) {
    const content = await read();
    if (content.length > LIMITS.entryBytes) throw tooLarge();
    const { packed, isDeflated } = pack(content);
    const entry: ZipEntry = {
      name,
      isDeflated,
      crc: crc32(content),
      packedBytes: packed.length,
      bytes: content.length,
    };
    directory.push(toCentralHeader(entry, position));
    await add(toLocalHeader(entry));
    await add(packed);
  }
  const directoryAt = position;
  const whole = Buffer.concat(directory);
  await add(whole);
  await add(toEnd({ entries: sources.length, directoryBytes: whole.length, directoryAt }));
  const digest = hash.digest('hex');
  const comment = toComment({ digest, signature: sign(digest) });
  await write(comment);
  return { bytes: position + comment.length, digest };
}

/** Stored as it is if compression gains nothing, or so much that a reader would take it for a bomb. */
export function pack(content: Buffer): { readonly packed: Buffer; readonly isDeflated: boolean } {
  const deflated = deflateSync(content, { level: 6 });
  const isDeflated = deflated.length < content.length && content.length <= deflated.length * LIMITS.ratio;
  return {
    packed: isDeflated ? Buffer.from(deflated.buffer, deflated.byteOffset, deflated.length) : content,
    isDeflated,
  };
}

function tooLarge(): CrewError {
  return new CrewError(
    'USAGE',
    'The run has too many or too large files for one file. Move it with "crewagent push" instead.',
  );
}
