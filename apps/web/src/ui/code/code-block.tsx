/**
 * Verbatim text in lines: code, arguments, results. Long text is shown in parts.
 */
import { Check, Copy, X } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../class-names.ts';
import { IconButton } from '../icon-button.tsx';
import { toShownText } from '../sanitize-text.ts';
import { ColoredCode } from './colored-code.tsx';
import { FIRST_CHARS, MORE_CHARS, toShownPart } from './long-text.ts';

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
      <OutcomeIcon aria-hidden="true" />
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
