/**
 * The port to one JSON document of a user: settings, projects, secrets. `disk` keeps it in a file, `memory` in this process.
 * What is read is validated; messages name the document, and never quote its text, which may contain secrets.
 */

import { basename } from 'node:path';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';

export interface StoredDocument {
  /** Where the document is, for people: on disk the path of its file. */
  readonly label: string;
  /**
   * Undefined if it was never written; the same value while the document is unchanged. Throws STORE_DAMAGED if it is not
   * JSON.
   */
  read(): Promise<unknown>;
  /** Runs `work` while nobody else changes the document, in any process. */
  change<T>(work: (write: (value: unknown) => Promise<void>) => Promise<T>): Promise<T>;
  /**
   * Runs `work`, which must be short, while nobody can change the document; others may hold it too. Throws errors of `work`
   * unchanged.
   */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/** The error does not quote the text, which may contain secrets. */
export function parseJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw damagedDocument(label, 'it is not JSON');
  }
}

/** Throws STORE_DAMAGED with the description of the issues by `describe`. */
export function parseStored<T>(
  schema: z.ZodMiniType<T>,
  value: unknown,
  label: string,
  describe: (error: z.core.$ZodError) => string = firstIssue,
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (isOfNewerVersion(value)) {
    const message = `"${basename(label)}" in the store was written by a newer version of crewagent; use that version.`;
    throw new CrewError('STORE_DAMAGED', message, { details: { file: label } });
  }
  throw damagedDocument(label, describe(parsed.error));
}

/** Path and message of the first issue. */
export function firstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.');
  return `${path ? `"${path}": ` : ''}${issue?.message ?? 'it is invalid'}`;
}

/** The message contains no path, since messages about a run are written to its log. */
function damagedDocument(label: string, issue: string): CrewError {
  const message = `"${basename(label)}" in the store is damaged (${issue}); repair it or restore it from a backup.`;
  return new CrewError('STORE_DAMAGED', message, { details: { file: label } });
}

function isOfNewerVersion(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('schemaVersion' in value)) return false;
  return typeof value.schemaVersion === 'number' && value.schemaVersion > 1;
}

/** Validates a value once for as long as the document has it. The result is shared, so nobody may change it. */
export function parseOnce<T>(parse: (value: unknown) => T): (value: unknown) => T {
  let last: { readonly value: unknown; readonly parsed: T } | undefined;
  return (value) => {
    if (!last || last.value !== value) last = { value, parsed: freeze(parse(value)) };
    return last.parsed;
  };
}

/** With everything in it. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
