/** Names and values in two columns. */
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface FactsProps {
  /** False stands for one that is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode] | false)[];
  readonly className: string;
}

export function Facts({ facts, className }: FactsProps) {
  return (
    <dl className={classNames('grid', className)}>
      {facts.map((fact) =>
        fact ? (
          <div key={fact[0]} className="contents">
            <dt className="text-ink-faint">{fact[0]}</dt>
            <dd className="tabular-nums wrap-anywhere">{fact[1]}</dd>
          </div>
        ) : undefined,
      )}
    </dl>
  );
}
