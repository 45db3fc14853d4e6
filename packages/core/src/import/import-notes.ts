/**
 * Collects the report of an import during conversion: constructs with their certainty, unresolved references, repaired YAML.
 * Each entry has the file and line of the source.
 */
import type { Certainty, ImportedConstruct, ImportReport } from '@crewagent/protocol/import-report';

export interface Position {
  readonly file: string;
  readonly line?: number | undefined;
  readonly text?: string | undefined;
}

export interface ImportNotes {
  add(construct: string, certainty: Certainty, at: Position & { workflow?: string }, message: string): void;
  addUnresolved(reference: string, at: Position, message: string): void;
  addRepair(at: Position, message: string): void;
  readonly constructs: readonly ImportedConstruct[];
  readonly unresolved: ImportReport['unresolved'];
  readonly repairs: ImportReport['repairs'];
}

export function createImportNotes(): ImportNotes {
  const constructs: ImportedConstruct[] = [];
  const unresolved: ImportReport['unresolved'] = [];
  const repairs: ImportReport['repairs'] = [];
  const seen = new Set<string>();
  return {
    add(construct, certainty, { workflow, ...at }, message) {
      const owner = workflow === undefined ? {} : { workflow };
      constructs.push({ construct, certainty, ...owner, ...toPosition(at), message });
    },
    addUnresolved(reference, at, message) {
      const key = JSON.stringify([reference, at.file]);
      // Once per file: further mentions of the same path add nothing.
      if (seen.has(key)) return;
      seen.add(key);
      unresolved.push({ reference, ...toPosition(at), message });
    },
    addRepair(at, message) {
      repairs.push({ ...toPosition(at), message });
    },
    constructs,
    unresolved,
    repairs,
  };
}

const MAX_TEXT = 300;

export function toPosition({ file, line, text }: Position) {
  return {
    file,
    line,
    ...(text === undefined ? {} : { text: clip(text.trim(), MAX_TEXT) }),
  };
}

export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
