/** An error next to the control that caused it, in one line. */
import { type ErrorOrCode, useErrorLine } from './error-texts.ts';

export function ErrorLine({ issue }: { readonly issue: ErrorOrCode | undefined }) {
  const line = useErrorLine(issue);
  if (line === undefined) return undefined;
  return (
    <span role="alert" className="max-w-60 truncate text-sm text-bad" title={line}>
      {line}
    </span>
  );
}
