interface Files {
  /** Regular expressions. */
  readonly path?: string;
  readonly pathNot?: string | readonly string[];
}

export function findViolations(
  imports: ReadonlyMap<string, readonly { readonly to: string }[]>,
  rules?: readonly { readonly name: string; readonly from: Files; readonly to: Files }[],
  exceptions?: readonly string[],
): string[];
