/**
 * `fs.read`: text files, whole or in part (`read-file.ts`). Several files in one call share the limits, and each has a result of its
 * own.
 */
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { formatMountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { UnseenSteps } from '../state/unseen-steps.ts';
import { answer, defineTool, failure, type ResultAnswer, type Tool } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import { answerMissing, type ToolPaths } from '../tool-paths.ts';
import type { ToolAnswer, ToolCallContext } from '../tool-source.ts';
import { type ReadLimits, type ReadRequest, readForModel } from './read-file.ts';

const pathSchema = z.string().check(z.minLength(1));
const lineSchema = z.optional(z.int().check(z.minimum(1)));
const schema = z
  .strictObject({
    path: z.optional(pathSchema),
    paths: z.optional(z.array(pathSchema).check(z.minLength(1), z.maxLength(20))),
    startLine: lineSchema,
    endLine: lineSchema,
    section: z.optional(z.string().check(z.minLength(1))).check(z.describe('"## Gaps"')),
  })
  .check(z.refine(({ path, paths }) => path !== undefined || paths !== undefined, 'set path or paths'));

export interface FsReadDeps {
  readonly files: MountedFs;
  readonly paths: ToolPaths;
  readonly unseenSteps: UnseenSteps;
}

export function createFsRead(deps: FsReadDeps, limits: ReadLimits): Tool {
  return defineTool({
    name: 'fs.read',
    family: 'fs',
    description:
      'Reads text files, and the text of PDF, Word and Excel files. Line numbers are not part of them.',
    schema: () => schema,
    accept: normalizeArguments,
    run: ({ path, paths = [], ...request }, call) =>
      path === undefined
        ? readSeveral(deps, paths, { request, limits, call })
        : readOne(deps, path, { request, limits, call }),
  });
}

interface Reading {
  readonly request: ReadRequest;
  readonly limits: ReadLimits;
  readonly call: ToolCallContext;
}

async function readOne(
  { files, paths, unseenSteps }: FsReadDeps,
  text: string,
  { request, limits, call }: Reading,
): Promise<ResultAnswer> {
  const { signal } = call;
  const found = await paths.find(text, call);
  const unseen = found.path?.mount === '@pkg' ? (await unseenSteps.load())(found.path) : undefined;
  if (found.path && unseen) return answer(unseen, { path: formatMountPath(found.path) });
  if (found.failure) return answerMissing(found);
  const { path } = found;
  const effect = { path: formatMountPath(path) };
  try {
    return answer(await readForModel(files, path, { request, limits, signal }), effect);
  } catch (error) {
    signal.throwIfAborted();
    return answer(toFileFailure(error, effect.path), effect);
  }
}

/** Less than this is not worth a preview. */
const MIN_BYTES = 1_024;

async function readSeveral(
  deps: FsReadDeps,
  texts: readonly string[],
  reading: Reading,
): Promise<ToolAnswer> {
  const { inlineReadBytes } = reading.limits;
  let left = inlineReadBytes;
  const read: { result: ToolResult; path: string }[] = [];
  for (const text of new Set(texts)) {
    const limits = { ...reading.limits, inlineReadBytes: left };
    const { result, effect } =
      left < Math.min(MIN_BYTES, inlineReadBytes)
        ? answer(LIMIT_REACHED)
        : await readOne(deps, text, { ...reading, limits });
    left -= sizeOf(result);
    read.push({ result, path: effect?.path ?? text });
  }
  const paths = read.filter(({ result }) => result.ok).map(({ path }) => path);
  const [path = read[0]?.path, ...also] = paths;
  const effect = { path, ...(also.length > 0 ? { also } : {}) };
  const [first] = read;
  if (paths.length === 0 && first && !first.result.ok) return answer(toFailure(first.result, read), effect);
  return answer({ ok: true, files: read.map(({ result, path: own }) => ({ path: own, ...result })) }, effect);
}

const LIMIT_REACHED = failure('E_READ_LIMIT', 'The other files filled this result; read this one by itself.');

/** None could be read. */
function toFailure({ error }: ToolFailure, read: readonly { result: ToolResult }[]): ToolFailure {
  const messages = read.flatMap(({ result }) => (result.ok ? [] : [result.error.message]));
  return failure(error.code, messages.join('\n'));
}

function sizeOf(result: ToolResult): number {
  return result.ok ? Buffer.byteLength(String(result.content ?? result.contentPreview ?? '')) : 0;
}

/** Accepts a list as `path`, a list of one, and both. */
function normalizeArguments({ path, paths, ...rest }: Readonly<Record<string, unknown>>) {
  const list = [path, paths].flat().filter((one) => one !== undefined && one !== null);
  if (list.length === 0) return rest;
  return list.length === 1 ? { path: list[0], ...rest } : { paths: list, ...rest };
}
