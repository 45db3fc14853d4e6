/**
 * The step files of a package: each is read and judged once, some at a time, in the order they are asked for.
 */
import { type StepFrontmatter, stepFrontmatterSchema } from '@crewagent/protocol/workflow';
import { fillCollections } from '../workflow/normalise.ts';
import type { Findings } from './findings.ts';
import type { PackageFiles } from './package-files.ts';
import { checkSchema, readBytes, toFrontmatter, toText } from './read-document.ts';

export interface Step {
  readonly file: string;
  readonly frontmatter: StepFrontmatter;
  lineOf(path: readonly PropertyKey[]): number;
}

export interface StepReader {
  /** Reads the files that were not read before. */
  readAll(files: Iterable<string>): Promise<void>;
  /** Undefined for a step that was refused. */
  get(file: string): Step | undefined;
}

const BATCH = 32;
const NO_DATES: ReadonlySet<string> = new Set();
const MAX_TOTAL_CHARS = 4 * 1024 * 1024;

export function createStepReader({
  files,
  findings,
}: {
  files: PackageFiles;
  findings: Findings;
}): StepReader {
  const steps = new Map<string, Step | undefined>();
  let charsLeft = MAX_TOTAL_CHARS;

  const judge = (file: string, text: string | undefined): Step | undefined => {
    const parsed = text === undefined ? undefined : toFrontmatter(text, file, NO_DATES, findings);
    if (!parsed || text === undefined) return undefined;
    charsLeft -= text.length - parsed.body.length;
    const value = fillCollections(parsed.value, {
      inputs: [],
      outputs: [],
      setsVariables: [],
      transitions: [],
    });
    const frontmatter = checkSchema(stepFrontmatterSchema, { file, value, lineOf: parsed.lineOf }, findings);
    return frontmatter && { file, frontmatter, lineOf: parsed.lineOf };
  };

  return {
    get: (file) => steps.get(file),
    async readAll(wanted) {
      const paths = [...wanted].filter((file) => !steps.has(file));
      for (let start = 0; start < paths.length && charsLeft > 0; start += BATCH) {
        const batch = paths.slice(start, start + BATCH);
        const contents = await Promise.all(
          batch.map(async (file) => ({ file, bytes: await readBytes(files, file) })),
        );
        for (const { file, bytes } of contents) steps.set(file, judge(file, toText(bytes, file, findings)));
        if (charsLeft <= 0) {
          findings.add('PACKAGE_TOO_LARGE', {
            file: batch.at(-1) ?? '.',
            message: `the frontmatter of all steps together is longer than ${MAX_TOTAL_CHARS / 1024 / 1024} MiB`,
            fix: 'Move long texts from the frontmatter into the body of the steps.',
          });
        }
      }
    },
  };
}
