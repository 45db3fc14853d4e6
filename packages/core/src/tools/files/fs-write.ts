/**
 * `fs.write`: overwrites or appends to a file. An existing file keeps its encoding and line endings.
 */
import { parseNumberedLines } from '@crewagent/protocol/numbered-lines';
import type { ToolFailure } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { frontmatterLength } from '../../workflow/update-frontmatter.ts';
import { defineTool, failure, type Tool } from '../tool.ts';
import { unencodableReason } from './apply-hunks.ts';
import { shortenDiff } from './change-text.ts';
import type { CurrentContent } from './hidden-content.ts';
import { setFrontmatter } from './patch-content.ts';
import { encodeText, newlineOf } from './text-file.ts';
import { decodeUnits, encodeUnits, toBytes, toTextUnits } from './text-units.ts';
import { answerWrite } from './write-file.ts';
import type { WriteSources } from './write-request.ts';

const schema = z.strictObject({
  path: z.string().check(z.minLength(1)),
  content: z.string(),
  mode: z.optional(z.enum(['overwrite', 'append'])),
  frontmatter: z.optional(z.record(z.string(), z.unknown())).check(z.describe('Fields to set.')),
  ifMatchSha256: z.optional(z.string()).check(z.describe('Fail unless the file still has this hash.')),
});

type Arguments = z.infer<typeof schema>;

export function createFsWrite(sources: WriteSources): Tool {
  return defineTool({
    name: 'fs.write',
    family: 'fs',
    advertised: () => z.omit(schema, { ifMatchSha256: true }),
    description: 'Writes a file. For small changes use fs.apply_patch.',
    schema: () => schema,
    run: (args, call) =>
      answerWrite(
        {
          path: args.path,
          call,
          ifMatchSha256: args.ifMatchSha256,
          next: (current) => withFrontmatter(current, args),
          describe: ({ sha256After }) => ({
            bytesWritten: Buffer.byteLength(args.content),
            sha256After,
          }),
          effectOf: ({ diff, isNew }) => (isNew ? {} : { diff: shortenDiff(diff) }),
        },
        sources,
      ),
  });
}

/** Of content without frontmatter, the fields that the file has stay. */
async function withFrontmatter(
  current: CurrentContent | undefined,
  args: Arguments,
): Promise<Buffer | ToolFailure> {
  const { frontmatter, content, mode, path } = args;
  if (!frontmatter) return nextContent(current, args);
  const old = current && toTextUnits(current.bytes);
  const head = old && decodeUnits(old.units.slice(0, frontmatterLength(old.units)), old.encoding);
  const isKept = head !== undefined && mode !== 'append' && frontmatterLength(content) === 0;
  const body = isKept && head !== '' ? `${head}\n${content.replace(/^(?:\r?\n)+/, '')}` : content;
  const written = nextContent(current, { ...args, content: body });
  const updated = Buffer.isBuffer(written) ? await setFrontmatter(written, frontmatter) : written;
  if (Buffer.isBuffer(updated) || written === updated) return updated;
  return failure(updated.error.code, `"${path}" was not changed: ${updated.error.message}`);
}

function nextContent(
  current: CurrentContent | undefined,
  { content, mode = 'overwrite', path }: Arguments,
): Buffer | ToolFailure {
  if (!current) return Buffer.from(content, 'utf8');
  const file = toTextUnits(current.bytes);
  if (!file) {
    if (mode === 'overwrite') return Buffer.from(content, 'utf8');
    return failure('TOOL_ARGS_INVALID', `"${path}" is not a text file; text cannot be appended to it.`);
  }
  const { units, encoding } = file;
  const plain = mode === 'overwrite' ? withoutNumbers(content, decodeUnits(units, encoding)) : content;
  const text = newlineOf(units) === '\r\n' ? plain.replace(/\r?\n/g, '\r\n') : plain;
  // If the old encoding cannot represent the text, the whole file becomes UTF-8.
  if (mode === 'overwrite') return encodeText(text, encoding) ?? Buffer.from(text, 'utf8');
  const appended = encodeUnits(text, encoding);
  if (appended.ok) return toBytes({ ...file, units: units + appended.units });
  const reason = unencodableReason(appended.character, encoding);
  return failure('E_PATCH_FAILED', `"${path}" was not changed: ${reason}.`);
}

/**
 * Content that was copied with the line numbers of `fs.read` is meant without them. That is certain if a line of the file stands
 * there under its own number, and the file itself has no such numbers.
 */
function withoutNumbers(content: string, current: string): string {
  const numbered = parseNumberedLines(content);
  if (numbered?.first !== 1 || parseNumberedLines(current)) return content;
  const lines = current.split(/\r?\n/);
  const isCopied = numbered.text
    .split(/\r?\n/)
    .some((line, index) => line.trim() !== '' && line === lines[index]);
  return isCopied ? numbered.text : content;
}
