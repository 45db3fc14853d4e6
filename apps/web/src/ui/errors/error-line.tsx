/** What did not work, beside the control it was tried with: as much of it as there is room for. */
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
