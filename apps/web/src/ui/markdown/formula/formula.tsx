/** A formula, rendered by KaTeX; its source where that is not possible. Loaded lazily, with its fonts. */
import katex from 'katex';
import { useLayoutEffect, useRef, useState } from 'react';
import 'katex/dist/katex.min.css';

interface FormulaProps {
  readonly source: string;
  readonly isBlock: boolean;
}

export default function Formula({ source, isBlock }: FormulaProps) {
  const box = useRef<HTMLSpanElement>(null);
  const [failed, setFailed] = useState<string>();
  useLayoutEffect(() => {
    if (!box.current) return;
    try {
      // Elements are created one by one: a text of markup would be rejected by the policy of the page.
      katex.render(source, box.current, { ...LIMITS, displayMode: isBlock });
    } catch {
      setFailed(source);
    }
  }, [source, isBlock]);
  if (failed === source) return <code>{source}</code>;
  return (
    <span
      ref={box}
      className={isBlock ? 'block overflow-x-auto overflow-y-hidden py-1' : undefined}
      tabIndex={isBlock ? 0 : undefined}
    />
  );
}

/** For untrusted sources: no links, no endless macros, nothing larger than the page. */
const LIMITS = { throwOnError: true, trust: false, strict: false, maxExpand: 500, maxSize: 20 } as const;
