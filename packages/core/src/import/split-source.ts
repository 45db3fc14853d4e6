/**
 * Converts a source; one that gives more files or bytes than a package may have is split by workflow, so that each part is a valid
 * package. Pure.
 */
import { CrewError } from '../base/crew-error.ts';
import { LIMITS } from '../bmad/archive/entry-rules.ts';
import { type Converted, type ConvertOptions, convertSource } from './convert-source.ts';
import type { SourceTree } from './source/read-source.ts';

export interface SourcePart extends Converted {
  /** What differs from the options for the whole. */
  readonly options: Pick<ConvertOptions, 'workflows' | 'packageName'> & { readonly out?: string };
}

/** Files that every import adds to the package: two reports. */
const REPORTS = 2;

export function splitSource(
  tree: SourceTree,
  options: ConvertOptions & { readonly out?: string | undefined },
  isAllowed: boolean,
): [SourcePart, ...SourcePart[]] {
  const whole = convertSource(tree, options);
  if (isWithinLimits(whole)) return [{ ...whole, options: {} }];
  const ids = whole.report.workflows.map(({ id }) => id);
  if (!isAllowed || ids.length < 2) throw tooLarge(whole);
  const { name } = whole.report.package;
  const [first, ...others] = divide(tree, options, ids).map((workflows, index): SourcePart => {
    const packageName = `${name}-${index + 1}`;
    const part = convertSource(tree, { ...options, workflows, packageName });
    const out = options.out === undefined ? undefined : `${options.out}-${index + 1}`;
    return { ...part, options: { workflows, packageName, ...(out === undefined ? {} : { out }) } };
  });
  if (!first) throw tooLarge(whole);
  return [first, ...others];
}

/** Halves until each group fits. Workflows keep their order: those of one module are neighbours. */
function divide(tree: SourceTree, options: ConvertOptions, ids: readonly string[]): string[][] {
  const middle = Math.ceil(ids.length / 2);
  return [ids.slice(0, middle), ids.slice(middle)].flatMap((workflows) => {
    const part = convertSource(tree, { ...options, workflows });
    if (isWithinLimits(part)) return [[...workflows]];
    if (workflows.length === 1) throw tooLarge(part);
    return divide(tree, options, workflows);
  });
}

function isWithinLimits({ files }: Converted): boolean {
  return files.size + REPORTS <= LIMITS.entries && bytesOf({ files }) <= LIMITS.totalBytes;
}

function bytesOf({ files }: Pick<Converted, 'files'>): number {
  return [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
}

function tooLarge({ files, report: { workflows, source } }: Converted): CrewError {
  const ids = workflows.slice(0, 2).map(({ id }) => id);
  const part = source.modules.length > 1 ? `--module ${source.modules[0]}` : `--workflow ${ids.join(' ')}`;
  const advice =
    workflows.length < 2
      ? 'This workflow cannot be divided.'
      : `Import it in parts, for example with ${part}.`;
  return new CrewError(
    'USAGE',
    `The source gives ${files.size} files with ${Math.ceil(bytesOf({ files }) / 1_048_576)} MiB, more than a package may have (${LIMITS.entries} files, ${LIMITS.totalBytes / 1_048_576} MiB). ${advice}`,
  );
}
