export interface StaticCheck {
  readonly name: string;
  /** The files and folders that the result depends on. */
  readonly inputs: readonly string[];
  readonly args: (changed?: readonly string[]) => readonly string[];
}

export const STATIC_CHECKS: readonly StaticCheck[];
export function runStaticCheck(
  check: StaticCheck,
): Promise<{ readonly status: number; readonly output: string }>;
