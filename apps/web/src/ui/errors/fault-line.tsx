/** What did not work, beside the control it was tried with: as much of it as there is room for. */
import { type Fault, useFaultLine } from './fault-words.ts';

export function FaultLine({ fault }: { readonly fault: Fault | undefined }) {
  const line = useFaultLine(fault);
  if (line === undefined) return undefined;
  return (
    <span role="alert" className="max-w-60 truncate text-sm text-bad" title={line}>
      {line}
    </span>
  );
}
