/**
 * Collects what a validation finds, so that all of it is told at once; bounded, because a hostile package
 * could otherwise produce millions.
 */
import {
  DIAGNOSTICS,
  type Diagnostic,
  type DiagnosticCode,
  type ValidationReport,
} from '@crewagent/protocol/diagnostics';

const MAX_FINDINGS = 1_000;

export interface Finding {
  readonly file: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
}

export interface Findings {
  add(code: DiagnosticCode, finding: Finding): void;
  readonly hasErrors: boolean;
  /** Everything found so far, errors first, each group in the order it was found. */
  list(): Diagnostic[];
}

export function createFindings(): Findings {
  const errors: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  let left = MAX_FINDINGS;
  return {
    add(code, finding) {
      if (left <= 0) return;
      left--;
      const entry =
        left > 0 ? toDiagnostic(code, finding) : toDiagnostic('TOO_MANY_FINDINGS', tooMany(finding.file));
      (entry.severity === 'error' ? errors : warnings).push(entry);
    },
    get hasErrors() {
      return errors.length > 0;
    },
    list: () => [...errors, ...warnings],
  };
}

export function toReport(path: string, diagnostics: readonly Diagnostic[]): ValidationReport {
  const errors = diagnostics.filter((entry) => entry.severity === 'error');
  const warnings = diagnostics.filter((entry) => entry.severity === 'warning');
  return { ok: errors.length === 0, path, errors, warnings };
}

/** A JSON pointer (RFC 6901) from the keys that lead to a value; undefined for the whole document. */
export function toPointer(keys: readonly PropertyKey[]): string | undefined {
  if (keys.length === 0) return undefined;
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function toDiagnostic(code: DiagnosticCode, finding: Finding): Diagnostic {
  return { severity: DIAGNOSTICS[code], code, ...finding };
}

function tooMany(file: string): Finding {
  return {
    file,
    message: `more than ${MAX_FINDINGS - 1} problems were found; the rest are not listed`,
    fix: 'Mend the ones above and validate again.',
  };
}
