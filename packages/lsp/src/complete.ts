/** The names that may be written at a position, for completion, and the places that a name leads to. */
import { posix } from 'node:path';
import { METHOD_FILE } from '@crewagent/core';
import { methodSchema } from '@crewagent/protocol/method';
import { BUILTIN_TOOLS } from '@crewagent/protocol/tool-effects';
import {
  nodeTypeSchema,
  stepFrontmatterSchema,
  workflowFrontmatterSchema,
} from '@crewagent/protocol/workflow';
import * as z from '@crewagent/protocol/zod';
import { findReference, type Reference } from './find-reference.ts';
import { findDefinitions, type PackageIndex } from './package-index.ts';

export interface Candidate {
  readonly label: string;
  readonly detail: string | undefined;
  readonly insert: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Offsets of the text that a candidate replaces. */
  readonly start: number;
  readonly end: number;
}

export function complete(
  index: PackageIndex,
  file: string,
  text: string,
  offset: number,
): Completion | undefined {
  const reference = findReference(file, text, offset);
  if (!reference) return undefined;
  const { start, end } = reference;
  return { candidates: candidatesFor(reference, index, file), start, end };
}

export interface Target {
  readonly file: string;
  readonly start: number;
}

export function findTargets(index: PackageIndex, file: string, text: string, offset: number): Target[] {
  const reference = findReference(file, text, offset);
  if (!reference) return [];
  const name = text.slice(reference.start, reference.end);
  switch (reference.kind) {
    case 'file':
      return fileTargets(index, name, file);
    case 'workflow': {
      const named = findDefinitions(index, 'workflow', name, file);
      return named.length > 0
        ? named.map(({ target, ...rest }) => (target ? { file: target, start: 0 } : rest))
        : fileTargets(index, name, file);
    }
    case 'node':
    case 'agent':
    case 'variable':
      return findDefinitions(index, reference.kind, name, file);
    default:
      return [];
  }
}

/** A path is from the root of the package, or from the folder of the text or of its workflow. */
function fileTargets({ paths }: PackageIndex, name: string, file: string): Target[] {
  const folder = posix.dirname(file);
  const candidates = [name, posix.join(folder, name), posix.join(posix.dirname(folder), name)];
  const found = candidates.map((path) => posix.normalize(path)).find((path) => paths.has(path));
  return found === undefined ? [] : [{ file: found, start: 0 }];
}

function candidatesFor({ kind, base }: Reference, index: PackageIndex, file: string): Candidate[] {
  switch (kind) {
    case 'type':
      return nodeTypeSchema.options.map(plain);
    case 'tool':
      return BUILTIN_TOOLS.map(plain);
    case 'key':
      return keysOf(schemaOf(file));
    case 'file':
      return [...index.paths].filter((path) => path !== file).map((path) => toFile(path, file, base));
    default: {
      const named = index.definitions.filter((definition) => definition.kind === kind);
      const near = named.filter(({ name }) => findDefinitions(index, kind, name, file).length > 0);
      return [
        ...new Map(near.map(({ name, detail }) => [name, { label: name, detail, insert: name }])).values(),
      ];
    }
  }
}

function schemaOf(file: string): FrontmatterSchema {
  if (file === METHOD_FILE) return methodSchema;
  return file.endsWith('workflow.md') ? workflowFrontmatterSchema : stepFrontmatterSchema;
}

type FrontmatterSchema =
  | typeof methodSchema
  | typeof workflowFrontmatterSchema
  | typeof stepFrontmatterSchema;

function plain(name: string): Candidate {
  return { label: name, detail: undefined, insert: name };
}

function toFile(path: string, from: string, base: Reference['base']): Candidate {
  const relative = base === 'text' ? posix.relative(posix.dirname(from), path) : path;
  return { label: relative, detail: undefined, insert: relative };
}

function keysOf(schema: FrontmatterSchema): Candidate[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([key, property]) => ({
    label: key,
    detail: typeof property === 'object' ? property.description : undefined,
    insert: `${key}: `,
  }));
}
