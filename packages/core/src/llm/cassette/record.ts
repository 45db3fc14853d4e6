/**
 * Records the requests and replies of a model as a cassette. The run is not affected; a disk error ends the
 * recording, not the run.
 */
import { constants } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { CASSETTE_KIND, type CassetteExchange, type CassetteHeader } from '@crewagent/protocol/cassette';
import { CrewError } from '../../base/crew-error.ts';
import { errnoSentence, withDiskErrors } from '../../base/errno.ts';
import { makeFolderOf } from '../../base/make-folders.ts';
import type { ChatOutcome, LLMAdapter, ModelError } from '../llm-adapter.ts';
import type { ChatRequest } from '../wire.ts';
import { toComparable } from './cassette-compare.ts';
import { loadCassette } from './cassette-file.ts';

export interface RecordOptions {
  readonly now: () => Date;
  /** Called once if the recording ends before the run. */
  readonly warn: (message: string) => void;
  /** Continue the recording of a resumed run. */
  readonly append?: boolean;
}

export async function recordTo(
  file: string,
  adapter: LLMAdapter,
  { now, warn, append = false }: RecordOptions,
): Promise<LLMAdapter> {
  await withDiskErrors(`The recording "${file}" could not be written`, () =>
    begin(file, toHeader(adapter, now()), append),
  );
  let isBroken = false;

  const recordExchange = async (request: ChatRequest, outcome: ChatOutcome): Promise<void> => {
    if (isBroken || outcome.kind === 'aborted') return;
    const line = toLine(request, outcome);
    try {
      await addLine(file, line);
    } catch (error) {
      const sentence = errnoSentence(error);
      if (sentence === undefined) throw error;
      isBroken = true;
      warn(`The recording "${file}" ended early because ${sentence}. The run continues without it.`);
    }
  };

  return {
    get traits() {
      return adapter.traits;
    },
    apiKeys: adapter.apiKeys,
    select: adapter.select,
    recorded: adapter.recorded,
    async chat(request, watch) {
      const outcome = await adapter.chat(request, watch);
      await recordExchange(request, outcome);
      return outcome;
    },
    close: () => adapter.close(),
  };
}

function toHeader(
  { traits: { prices, rules, firstByteMs: _, ...traits } }: LLMAdapter,
  now: Date,
): CassetteHeader {
  return {
    schemaVersion: 1,
    kind: CASSETTE_KIND,
    createdAt: now.toISOString(),
    model: { ...traits, rules, prices },
  };
}

/** Creates the file, or validates it for appending. */
async function begin(file: string, header: CassetteHeader, append: boolean): Promise<void> {
  makeFolderOf(file);
  const handle = await open(file, 'a', 0o600);
  let size: number;
  try {
    ({ size } = await handle.stat());
    if (size === 0) await handle.writeFile(`${JSON.stringify(header)}\n`);
  } finally {
    await handle.close();
  }
  if (size === 0) return;
  if (!append) {
    throw new CrewError(
      'TARGET_EXISTS',
      `"${file}" already exists. Record to another file, or delete it first.`,
    );
  }
  const cassette = await loadCassette(file);
  const { name } = cassette.header.model;
  if (name !== header.model.name) {
    throw new CrewError(
      'TARGET_EXISTS',
      `"${file}" is a recording of ${name}, not of ${header.model.name}. Record to another file.`,
    );
  }
  if (cassette.bytes < size) await truncate(file, cassette.bytes);
}

function toLine(request: ChatRequest, outcome: Exclude<ChatOutcome, { kind: 'aborted' }>): string {
  const { kind } = outcome;
  const exchange = {
    request: { messages: request.messages, tools: request.tools },
    requestHash: toComparable(request).hash,
    outcome: kind === 'reply' ? { kind, reply: outcome.reply } : { kind, error: withoutKey(outcome.error) },
  } satisfies Readonly<Record<keyof CassetteExchange, unknown>>;
  return `${JSON.stringify(exchange)}\n`;
}

/** A replay has no other key to try. */
function withoutKey({ isAboutKey: _, ...error }: ModelError): Omit<ModelError, 'isAboutKey'> {
  return error;
}

/** Appends without creating: a file that was deleted meanwhile must not restart without its header. */
async function addLine(file: string, line: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    await handle.writeFile(line);
  } finally {
    await handle.close();
  }
}
