/** Highlighted code once the tokenizer is loaded; plain text until then and without a language. */
import { type ReactNode, useEffect, useMemo, useState } from 'react';

interface ColoredCodeProps {
  readonly text: string;
  readonly language: string | undefined;
}

export function ColoredCode({ text, language }: ColoredCodeProps): ReactNode {
  const highlight = useHighlighter(language !== undefined);
  const pieces = useMemo(
    () => (language === undefined ? undefined : highlight?.(text, language)),
    [text, language, highlight],
  );
  if (!pieces) return text;
  return pieces.map(({ text: piece, color }, index) =>
    color === undefined ? (
      piece
    ) : (
      // The text is tokenized as a whole on each change: the index identifies a piece.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={index} className={`code-${color}`}>
        {piece}
      </span>
    ),
  );
}

type Highlight = typeof import('./highlight-code.ts')['highlightCode'];

let loaded: Highlight | undefined;

function useHighlighter(isNeeded: boolean): Highlight | undefined {
  const [highlight, setHighlight] = useState(() => loaded);
  useEffect(() => {
    if (!isNeeded || highlight) return undefined;
    let isGone = false;
    // Without the tokenizer the code stays readable, so a failed load is not reported.
    import('./highlight-code.ts')
      .then((module) => {
        loaded = module.highlightCode;
        if (!isGone) setHighlight(() => module.highlightCode);
      })
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [isNeeded, highlight]);
  return highlight;
}
