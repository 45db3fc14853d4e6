/**
 * The proof keys of a step (`waits`, `produces`, `consumes`, `verify`) in the form a run judges: templates and schemas are read
 * from the package once, so that a run needs neither.
 */
import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import {
  COUNT_RANGE,
  type ConsumedFile,
  type NodeProof,
  type ProducedFile,
  type WrittenProduced,
  type WrittenProof,
  writtenProofSchema,
} from '@crewagent/protocol/proof';
import { fillVariables, unfilledNames } from '../../mounts/path-template.ts';
import { isSameHeading, readHeadings } from '../../tools/proof/judge-content.ts';
import { parseGlob } from '../../tools/search/ignore-globs.ts';
import { DamagedFile, type PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { locate } from '../findings/schema-findings.ts';
import { checkOutputs } from './package-rules.ts';
import { readBytes } from './read-document.ts';
import type { Step } from './read-steps.ts';

const MAX_READ_BYTES = 262_144;
const DEFAULT_TIMEOUT_SECONDS = 120;

interface ProofSources {
  readonly files: PackageFiles;
  readonly findings: Findings;
  /** Folder of the workflow, for relative paths. */
  readonly folder: string;
}

/** The step whose keys are read. */
type Context = ProofSources & { readonly step: Pick<Step, 'file' | 'lineOf'> };

type KeyPath = readonly PropertyKey[];

/** Undefined if the step has none of the keys. */
export async function readProof(step: Step, sources: ProofSources): Promise<NodeProof | undefined> {
  const parsed = writtenProofSchema.safeParse(step.frontmatter);
  // Reported with the frontmatter.
  if (!parsed.success) return undefined;
  const { waits, produces = [], consumes = [], verify = [] } = parsed.data;
  const waited = waits === true ? { for: 'message' as const, options: [] } : waits || undefined;
  if (!waited && produces.length + consumes.length + verify.length === 0) return undefined;
  const context = { ...sources, step };
  checkOutputs(
    produces.map(({ path }) => path),
    (index) => locate(step, ['produces', index, 'path']),
    sources.findings,
  );
  const files: ProducedFile[] = [];
  for (const [index, written] of produces.entries())
    files.push(await toProduced(written, ['produces', index], context));
  return {
    waits: waited && { for: waited.for, options: waited.options ?? [] },
    produces: files,
    consumes: consumes.map((one, index) => toConsumed(one, ['consumes', index], context)),
    verify: verify.map(({ run, expect = 0, timeout = DEFAULT_TIMEOUT_SECONDS }) => ({
      run,
      expect,
      timeoutSeconds: timeout,
    })),
  };
}

async function toProduced(written: WrittenProduced, at: KeyPath, context: Context): Promise<ProducedFile> {
  const { path, count, change, headings, schema, minWords, columns, contains, notContains } = written;
  checkPath(path, [...at, 'path'], context);
  const [, from, to] = typeof count === 'string' ? (COUNT_RANGE.exec(count) ?? []) : [];
  const range =
    typeof count === 'string' ? { min: Number(from), max: Number(to) } : { min: count ?? 1, max: count ?? 1 };
  if (range.max < range.min || range.max === 0)
    context.findings.add('PROOF_INVALID', {
      ...locate(context.step, [...at, 'count']),
      message: `the range "${count}" is empty`,
      fix: 'Write the smaller number first, such as 1..5.',
    });
  return {
    path,
    count: range,
    mustChange: change !== 'exists',
    headings: headings && (await toHeadings(headings, [...at, 'headings'], context)),
    minWords,
    schema: schema === undefined ? undefined : await readSchema(schema, [...at, 'schema'], context),
    columns,
    contains,
    notContains,
  };
}

function toConsumed(
  written: NonNullable<WrittenProof['consumes']>[number],
  at: KeyPath,
  context: Context,
): ConsumedFile {
  const { path, optional = false, read, ask } = typeof written === 'string' ? { path: written } : written;
  checkPath(path, at, context);
  return { path, isOptional: optional, mustRead: read === 'required', ask: ask || undefined };
}

/** Globs in workflow.md. */
export function checkWrites(globs: readonly string[], step: Context['step'], findings: Findings): void {
  for (const [index, glob] of globs.entries()) checkPath(glob, ['writes', index], { step, findings });
  checkOutputs(globs, (index) => locate(step, ['writes', index]), findings);
}

function checkPath(path: string, at: KeyPath, { step, findings }: Pick<Context, 'step' | 'findings'>): void {
  const names = Object.fromEntries(unfilledNames(path).map((name) => [name, 'x']));
  if (parseGlob(fillVariables(path, names))) return;
  findings.add('PROOF_INVALID', {
    ...locate(step, at),
    message: `"${path.slice(0, 120)}" is not a valid glob`,
    fix: 'Close its brackets and braces.',
  });
}

async function toHeadings(
  written: NonNullable<WrittenProduced['headings']>,
  at: KeyPath,
  context: Context,
): Promise<readonly string[] | undefined> {
  if (Array.isArray(written)) return written;
  const template = await readReferenced(written.from, [...at, 'from'], context);
  if (!template) return undefined;
  // A heading that is nothing but a placeholder fits every heading.
  const all = readHeadings(template.text).filter((heading) => !isSameHeading(heading, ''));
  const { only = all } = written;
  const unknown = only.filter((heading) => !all.some((known) => isSameHeading(known, heading)));
  if (all.length === 0 || unknown.length > 0)
    context.findings.add('PROOF_INVALID', {
      ...locate(context.step, at),
      message:
        all.length === 0
          ? `the template "${template.path}" has no headings`
          : `the template "${template.path}" has no heading "${unknown[0]?.slice(0, 80)}"`,
      fix: 'Use the headings of the template, or list the headings here.',
    });
  return only;
}

async function readSchema(path: string, at: KeyPath, context: Context): Promise<ProducedFile['schema']> {
  const found = await readReferenced(path, at, context);
  if (!found) return undefined;
  try {
    const value: unknown = JSON.parse(found.text);
    if (!isObject(value)) throw new Error('it is not an object');
    const { fromJSONSchema } = await import('zod');
    // Throws for keywords it does not know: such a schema would prove less than it says.
    fromJSONSchema(value);
    return { path: found.path, value };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `"${found.path}" is not a JSON Schema that can be checked: ${reason.slice(0, 160)}`;
    return addUnreadable(message, at, context);
  }
}

async function readReferenced(
  path: string,
  at: KeyPath,
  context: Context,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const { files, folder, step } = context;
  const bare = path.replace(/^(?:@pkg\/|\{package-root\}\/)/, '');
  const candidates = ['', folder, posix.dirname(step.file)].map((base) => posix.join(base, bare));
  const found = candidates.find((candidate) => files.paths.has(candidate));
  if (found === undefined)
    return addUnreadable(`the file "${path.slice(0, 120)}" is not in the package`, at, context);
  const bytes = await readBytes(files, found);
  if (bytes instanceof DamagedFile) return addUnreadable(`the file "${found}" is damaged`, at, context);
  return bytes.length <= MAX_READ_BYTES
    ? { path: found, text: bytes.toString('utf8') }
    : addUnreadable(`the file "${found}" is larger than 256 KiB`, at, context);
}

function addUnreadable(message: string, at: KeyPath, { findings, step }: Context): undefined {
  findings.add('PROOF_FILE_UNREADABLE', {
    ...locate(step, at),
    message,
    fix: 'Name a readable file of the package, from its root; what cannot be read would prove nothing.',
  });
}
