/**
 * Verbatim text in lines: code, arguments, results. Long text is shown in parts.
 */
import { Check, Copy, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { formatBytes } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { IconButton } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { toShownText } from '../sanitize-text.ts';

interface CodeBlockProps {
  readonly text: string;
  /** Accessible name. */
  readonly label: string;
  readonly title?: string | undefined;
  /** As in the fence of a Markdown block; without it there is no highlighting. */
  readonly language?: string | undefined;
  readonly wraps?: boolean;
  readonly className?: string;
}

export function CodeBlock({ text, label, title, language, wraps = false, className }: CodeBlockProps) {
  const { t } = useTranslation();
  const [chars, setChars] = useState(FIRST_CHARS);
  const { text: shown, hiddenChars } = toShownPart(text, chars);
  return (
    <figure
      className={classNames('group/code relative overflow-hidden rounded-md border bg-sunken', className)}
    >
      {title === undefined ? undefined : (
        <figcaption className="flex h-7 items-center border-b ps-3 pe-9 font-mono text-xs text-ink-faint">
          <span className="truncate">{title}</span>
        </figcaption>
      )}
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/useSemanticElements: not a form; a section would be a landmark, and there are many of these */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        dir="ltr"
        className="max-h-96 overflow-auto px-3 py-2 font-mono text-sm text-ink -outline-offset-2 [tab-size:2]"
      >
        <pre className={classNames('font-mono', wraps && 'whitespace-pre-wrap wrap-anywhere')}>
          <code>
            <ColoredCode text={toShownText(shown)} language={language} />
          </code>
        </pre>
      </div>
      {hiddenChars > 0 ? (
        <button
          type="button"
          onClick={() => setChars(chars + MORE_CHARS)}
          className="h-7 w-full border-t text-sm text-accent-text -outline-offset-2 hover:bg-hover"
        >
          {t('text.showMore', { size: formatBytes(hiddenChars) })}
        </button>
      ) : undefined}
    </figure>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<'copied' | 'notCopied'>();
  const copy = async (): Promise<void> => {
    setOutcome(await writeToClipboard(text));
    setTimeout(() => setOutcome(undefined), 1_500);
  };
  const OutcomeIcon = outcome === undefined ? Copy : outcome === 'copied' ? Check : X;
  return (
    <IconButton
      label={t(`text.${outcome ?? 'copy'}`)}
      size="sm"
      onClick={() => void copy()}
      className="absolute inset-e-1 top-0.5 bg-sunken opacity-0 group-hover/code:opacity-100 group-focus-within/code:opacity-100 focus-visible:opacity-100"
    >
      <OutcomeIcon />
    </IconButton>
  );
}

/** Browsers allow it only in secure contexts and while the page has the focus. */
async function writeToClipboard(text: string): Promise<'copied' | 'notCopied'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'notCopied';
  }
}

interface ColoredCodeProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** Highlighted code once the tokenizer is loaded; plain text until then and without a language. */
function ColoredCode({ text, language }: ColoredCodeProps): ReactNode {
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

export const FIRST_CHARS = 20_000;
export const MORE_CHARS = 200_000;
const MAX_LINE_CHARS = 4_000;

/**
 * Limits how much text is rendered at once: a megabyte of tool output must not block the page.
 */
export function toShownPart(text: string, chars: number) {
  const end = text.length <= chars ? text.length : wholeEnd(text, chars);
  return { text: breakLongLines(text.slice(0, end)), hiddenChars: text.length - end };
}

/** Never splits a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/** Browsers lay out a line in one pass; a line of a megabyte takes seconds. */
function breakLongLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  return text
    .split('\n')
    .map((line) => (line.length <= MAX_LINE_CHARS ? line : (line.match(PIECES) ?? []).join('\n')))
    .join('\n');
}

const PIECES = new RegExp(`.{1,${MAX_LINE_CHARS}}`, 'gsu');
