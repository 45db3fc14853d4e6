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

export type ImportNotes = ReturnType<typeof createImportNotes>;

export function createImportNotes() {
  const constructs: ImportedConstruct[] = [];
  const unresolved: ImportReport['unresolved'] = [];
  const repairs: ImportReport['repairs'] = [];
  const seen = new Set<string>();
  return {
    add(construct: string, certainty: Certainty, at: Position & { workflow?: string }, message: string) {
      constructs.push({ construct, certainty, workflow: at.workflow, ...toPosition(at), message });
    },
    addUnresolved(reference: string, at: Position, message: string) {
      const key = JSON.stringify([reference, at.file]);
      // Once per file: further mentions of the same path add nothing.
      if (seen.has(key)) return;
      seen.add(key);
      unresolved.push({ reference, ...toPosition(at), message });
    },
    addRepair(at: Position, message: string) {
      repairs.push({ ...toPosition(at), message });
    },
    constructs,
    unresolved,
    repairs,
  };
}

const MAX_TEXT = 300;

export function toPosition({ file, line, text }: Position) {
  return { file, line, text: text === undefined ? undefined : clip(text.trim(), MAX_TEXT) };
}

export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
