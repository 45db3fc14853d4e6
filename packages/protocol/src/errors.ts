/**
 * The one table of error codes: who can mend it, and the HTTP status it travels with.
 * `model`: returned to the model as a value. `user`: thrown as a CrewError and shown as a sentence.
 * What is not in this table is ours to mend and surfaces as an internal error.
 */
export type Mender = 'model' | 'user';

interface ErrorKind {
  readonly mender: Mender;
  readonly httpStatus: number;
}

export const ERRORS = {
  USAGE: { mender: 'user', httpStatus: 400 },
  PACKAGE_INVALID: { mender: 'user', httpStatus: 422 },
  PACKAGE_NOT_FOUND: { mender: 'user', httpStatus: 404 },
  PACKAGE_AMBIGUOUS: { mender: 'user', httpStatus: 409 },
  PACKAGE_IN_USE: { mender: 'user', httpStatus: 409 },
  PACKAGE_CHANGED: { mender: 'user', httpStatus: 409 },
  TARGET_EXISTS: { mender: 'user', httpStatus: 409 },
  DISK: { mender: 'user', httpStatus: 507 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
