/**
 * Loads cassettes from disk, validating each line against its schema.
 */
import { readFile } from 'node:fs/promises';
import {
  type CassetteExchange,
  type CassetteHeader,
  cassetteExchangeSchema,
  cassetteHeaderSchema,
} from '@crewagent/protocol/cassette';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';

export interface Cassette {
  readonly header: CassetteHeader;
  readonly exchanges: readonly CassetteExchange[];
  /** Length of the complete lines; a crash may leave a partial line behind them. */
  readonly bytes: number;
}

export async function loadCassette(file: string): Promise<Cassette> {
  const content = await withDiskErrors(`The recording "${file}" could not be read`, () => readExisting(file));
  const bytes = content.lastIndexOf('\n') + 1;
  const [head = '', ...lines] = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  const header = parseLine(cassetteHeaderSchema, head, { file, line: 1 });
  const exchanges = lines.map((text, index) =>
    parseLine(cassetteExchangeSchema, text, { file, line: index + 2 }),
  );
  return { header, exchanges, bytes };
}

async function readExisting(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new CrewError('CASSETTE_INVALID', `There is no recording "${file}". Check the path.`, {
      details: { file },
    });
  }
}

interface CassettePosition {
  readonly file: string;
  readonly line: number;
}

function parseLine<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
  position: CassettePosition,
): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(position, 'is not JSON');
  }
  const parsed = schema.safeParse(value);
  // The parsed line, not the schema's copy, which drops `__proto__`: names of provider fields are arbitrary data.
  if (parsed.success) return value as z.infer<Schema>;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') || 'the whole line';
  throw invalid(position, `is invalid at ${field}: ${issue?.message ?? 'unreadable'}`);
}

function invalid({ file, line }: CassettePosition, why: string): CrewError {
  return new CrewError(
    'CASSETTE_INVALID',
    `"${file}" is not a valid recording: line ${line} ${why}. Record the run again, or use another file.`,
    { details: { file, line } },
  );
}
