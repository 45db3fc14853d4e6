/**
 * Formatted text of a model or a package. The renderer is loaded with the first text; until then the text is shown as it was
 * written: a blank reply would be worse than one that changes its look. Texts that are too long to format stay as they are.
 */
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { toShownProse } from '../sanitize-text.ts';
import { warmSoon } from '../warm-soon.ts';

interface MarkdownProps {
  readonly text: string;
  /** The text is incomplete and still growing. */
  readonly isStreaming?: boolean;
}

export function Markdown({ text, isStreaming = false }: MarkdownProps) {
  const { t } = useTranslation();
  const [Formatted] = useState(() => loaded ?? LoadedLater);
  if (text.length > MAX_CHARS) return <CodeBlock text={text} label={t('text.longText')} wraps />;
  const shown = toShownProse(text);
  return (
    <Suspense fallback={<div className="prose whitespace-pre-wrap">{shown}</div>}>
      <Formatted text={shown} isStreaming={isStreaming} />
    </Suspense>
  );
}

const MAX_CHARS = 200_000;

type Formatter = ComponentType<Required<MarkdownProps>>;

const LoadedLater: Formatter = lazy(() => import('./formatted-markdown.tsx'));

/** Preloaded: rendered at once, where `lazy` shows its fallback first, which React replaces after 300 ms. */
let loaded: Formatter | undefined;

/** Preloads the renderer and compiles its expressions, so that the first reply is formatted immediately and without a long task. */
export function warmMarkdown(): void {
  import('./formatted-markdown.tsx')
    .then(({ default: formatter, parserSteps }) => {
      loaded = formatter;
      warmSoon(parserSteps);
    })
    .catch(() => undefined);
}

/** Markdown without its frontmatter, which is for programs; the editor still shows it. */
export function withoutFrontmatter(text: string): string {
  return text
    .replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '')
    .replace(/^\s*\n/, '') // Blank lines only: an indented first line is code.
    .trimEnd();
}
