/**
 * The step files of a package: each is read and validated once, in batches, in the order of the requests.
 */
import { type StepFrontmatter, stepFrontmatterSchema } from '@crewagent/protocol/workflow';
import { fillCollections } from '../../workflow/normalise.ts';
import type { FullParse } from '../../workflow/split-frontmatter.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { checkKeySpelling } from '../findings/schema-findings.ts';
import { checkSchema, readBytes, toFrontmatter, toText } from './read-document.ts';

export interface Step {
  readonly file: string;
  readonly frontmatter: StepFrontmatter;
  readonly body: LocatedText;
  lineOf(path: readonly PropertyKey[]): number;
}

/** Part of a file, with its first line number. */
export interface LocatedText {
  readonly text: string;
  readonly firstLine: number;
}

export type StepReader = ReturnType<typeof createStepReader>;

interface StepSources {
  readonly files: PackageFiles;
  readonly findings: Findings;
  readonly tryParse: FullParse;
}

const BATCH = 32;

export function createStepReader({ files, findings, tryParse }: StepSources) {
  const steps = new Map<string, Step | undefined>();

  const parse = (file: string, text: string | undefined): Step | undefined => {
    if (text === undefined) return undefined;
    const parsed = toFrontmatter(text, file, { tryParse }, findings);
    if (!parsed) return undefined;
    const { lineOf } = parsed;
    const fields = parsed.value.agentId === null ? { ...parsed.value, agentId: '' } : parsed.value;
    const value = fillCollections(fields, {
      inputs: [],
      outputs: [],
      setsVariables: [],
      transitions: [],
      returns: [],
    });
    const frontmatter = checkSchema(stepFrontmatterSchema, { file, value, lineOf }, findings);
    const written = { file, value: parsed.value, lineOf };
    checkKeySpelling(stepFrontmatterSchema, written, [], findings);
    return { file, frontmatter, body: toBody(text, parsed.body), lineOf };
  };

  return {
    /** Undefined for a step that was rejected. */
    get: (file: string): Step | undefined => steps.get(file),
    /** Reads the files that were not read yet. */
    async readAll(requested: Iterable<string>): Promise<void> {
      const paths = [...requested].filter((file) => !steps.has(file));
      for (let start = 0; start < paths.length; start += BATCH) {
        const batch = paths.slice(start, start + BATCH);
        const contents = await Promise.all(
          batch.map(async (file) => ({ file, bytes: await readBytes(files, file) })),
        );
        for (const { file, bytes } of contents) steps.set(file, parse(file, toText(bytes, file, findings)));
      }
    },
  };
}

/** The part of a file after its frontmatter. */
export function toBody(text: string, body: string): LocatedText {
  return { text: body, firstLine: text.slice(0, text.length - body.length).split('\n').length };
}
