/**
 * Findings of package validation. The table lists every code with its severity; errors reject the package, advice is for its
 * author only. A diagnostic says where the problem is, what is wrong, and how to fix it.
 */
import { positiveCountSchema } from './scalars.ts';
import * as z from './zod.ts';

export type Severity = 'error' | 'warning' | 'advice';

export const DIAGNOSTICS = {
  // The archive or folder.
  NOT_FOUND: 'error',
  NOT_READABLE: 'error',
  NOT_AN_ARCHIVE: 'error',
  ARCHIVE_DAMAGED: 'error',
  ENTRY_NAME_UNSAFE: 'error',
  ENTRY_IS_LINK: 'error',
  ENTRY_IS_SPECIAL: 'error',
  ENTRY_DUPLICATE: 'error',
  ENTRY_CLASH: 'error',
  ENTRY_ENCRYPTED: 'error',
  ENTRY_METHOD_UNKNOWN: 'error',
  TOO_MANY_ENTRIES: 'error',
  FILE_TOO_LARGE: 'error',
  PACKAGE_TOO_LARGE: 'error',
  RATIO_TOO_HIGH: 'error',
  // The kind of package.
  NOT_A_PACKAGE: 'error',
  CLASSIC_BMAD: 'error',
  FORMAT_UNSUPPORTED: 'error',
  // Its documents.
  MISSING_FILE: 'error',
  NOT_UTF8: 'error',
  BAD_JSON: 'error',
  BAD_FRONTMATTER: 'error',
  UNSAFE_VALUE: 'error',
  SCHEMA: 'error',
  // Consistency between documents.
  DUPLICATE_ID: 'error',
  UNKNOWN_NODE: 'error',
  UNKNOWN_AGENT: 'error',
  NODE_ID_MISMATCH: 'error',
  SUBWORKFLOW_MISSING: 'error',
  SUBWORKFLOW_WITHOUT_GRAPH: 'error',
  CALL_CYCLE: 'error',
  CALL_TOO_DEEP: 'error',
  PROOF_INVALID: 'error',
  PROOF_FILE_UNREADABLE: 'error',
  TOO_MANY_ERRORS: 'error',
  // The package loads.
  NO_END_REACHABLE: 'warning',
  CYCLE_WITHOUT_EXIT: 'warning',
  NODE_UNREACHABLE: 'warning',
  DECISION_WITHOUT_CHOICE: 'warning',
  DECISION_WITHOUT_DEFAULT: 'warning',
  SEVERAL_DEFAULTS: 'warning',
  TRANSITIONS_DISAGREE: 'warning',
  SUBWORKFLOW_WITHOUT_TARGET: 'warning',
  TYPES_DISAGREE: 'warning',
  BLANK_AGENT: 'warning',
  STEP_AGENT_UNKNOWN: 'warning',
  BLANK_DATE: 'warning',
  TYPED_INPUT_INVALID: 'warning',
  KEY_MISSPELT: 'warning',
  UNLISTED_WORKFLOW: 'warning',
  MENU_ITEM_HIDDEN: 'warning',
  MENU_ITEM_DEAD: 'warning',
  FIELD_UNUSED: 'warning',
  TOOL_SERVER_UNKNOWN: 'warning',
  REFERENCE_MISSING: 'warning',
  STEP_LINK_WITHOUT_EDGE: 'warning',
  VARIABLE_UNKNOWN: 'warning',
  TOOL_UNAVAILABLE: 'warning',
  OUTPUT_OUTSIDE_PROJECT: 'warning',
  SECRET_FILE: 'warning',
  INTEGRITY_IGNORED: 'warning',
  RUNTIME_TOO_OLD: 'warning',
  ABOUT_INVALID: 'warning',
  /** Refuses the installation. */
  ENGINE_UNSUPPORTED: 'warning',
  TOO_MANY_WARNINGS: 'warning',
  // How the package could be better.
  NOTHING_TO_PROVE: 'advice',
  TOO_MUCH_ADVICE: 'advice',
} as const satisfies Record<string, Severity>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

const CODES = Object.keys(DIAGNOSTICS) as [DiagnosticCode, ...DiagnosticCode[]];

export const diagnosticSchema = z.strictObject({
  severity: z.enum(['error', 'warning', 'advice']),
  code: z.enum(CODES),
  file: z.string().check(z.meta({ description: 'Path inside the package, or the path that was given.' })),
  pointer: z
    .optional(z.string())
    .check(z.meta({ description: 'JSON pointer into the document or frontmatter.' })),
  line: z.optional(positiveCountSchema),
  message: z.string(),
  fix: z.string(),
});

export type Diagnostic = z.infer<typeof diagnosticSchema>;

/** The output of `validate --json`. */
export const validationReportSchema = z.strictObject({
  ok: z.boolean(),
  path: z.string(),
  errors: z.array(diagnosticSchema),
  warnings: z.array(diagnosticSchema),
  advice: z.optional(z.array(diagnosticSchema)),
});

export type ValidationReport = z.infer<typeof validationReportSchema>;
