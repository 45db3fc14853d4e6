/**
 * Markdown into elements, also while it is still being written. HTML in it is text; nothing in it is fetched; links lead
 * outside, in a window that knows nothing of ours. Loaded lazily: use `Markdown`.
 */
import { ExternalLink, ImageOff } from 'lucide-react';
import { type ComponentProps, isValidElement, memo, type ReactNode } from 'react';
import { type Components, defaultRemarkPlugins, Streamdown } from 'streamdown';
import { useTranslation } from '../i18n/use-translation.ts';
import { CodeBlock } from './code-block.tsx';

interface FormattedMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

export default memo(function FormattedMarkdown({ text, isStreaming }: FormattedMarkdownProps) {
  return (
    <Streamdown
      mode={isStreaming ? 'streaming' : 'static'}
      parseIncompleteMarkdown={isStreaming}
      isAnimating={isStreaming}
      controls={false}
      linkSafety={{ enabled: false }}
      remarkPlugins={REMARK_PLUGINS}
      // No plugin that would turn the HTML in a text into elements: it is shown as the text it is.
      rehypePlugins={[]}
      urlTransform={toSafeUrl}
      components={COMPONENTS}
      className="prose"
    >
      {text}
    </Streamdown>
  );
});

const REMARK_PLUGINS = Object.values(defaultRemarkPlugins);

/** Absolute addresses of the web and of mail; everything else leads nowhere. */
export function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}

// The library's type lets no component have properties of its own.
const COMPONENTS = {
  a: Link,
  img: Picture,
  pre: Fence,
  code: (props: { readonly children?: ReactNode }) => <code>{props.children}</code>,
  table: TableFrame,
  ...plain('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'strong', 'em', 'del', 'blockquote'),
  ...plain('thead', 'tbody', 'tr', 'th', 'td', 'sup', 'sub', 'section'),
  hr: () => <hr />,
} as Components;

/** The element and what is in it; classes and attributes are ours to give. */
function plain(...names: readonly (keyof Components & string)[]): Components {
  return Object.fromEntries(
    names.map((name) => {
      const Name = name as 'p';
      return [name, (props: { readonly children?: ReactNode }) => <Name>{props.children}</Name>];
    }),
  );
}

function Link({ href, children }: ComponentProps<'a'>) {
  const { t } = useTranslation();
  if (href === undefined || href === '' || toSafeUrl(href) === undefined) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
      <ExternalLink aria-label={t('text.opensOutside')} className="ms-0.5 inline size-3 align-baseline" />
    </a>
  );
}

function TableFrame({ children }: ComponentProps<'table'>) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="table-frame" tabIndex={0} aria-label={t('text.table')}>
      <table>{children}</table>
    </section>
  );
}

/** A picture from elsewhere would tell its owner that it was looked at. */
function Picture({ alt, src }: ComponentProps<'img'>) {
  const { t } = useTranslation();
  return (
    <span
      title={typeof src === 'string' ? src : undefined}
      className="inline-flex items-center gap-1 rounded-sm border bg-sunken px-1.5 py-0.5 text-sm text-ink-faint"
    >
      <ImageOff aria-hidden="true" className="size-3.5" />
      {alt ? t('text.imageNamed', { name: alt }) : t('text.image')}
    </span>
  );
}

function Fence({ children }: ComponentProps<'pre'>) {
  const { t } = useTranslation();
  const code = isValidElement<ComponentProps<'code'>>(children) ? children.props : undefined;
  const language = /language-([\w+#-]+)/.exec(code?.className ?? '')?.[1];
  return (
    <CodeBlock
      text={toText(code?.children ?? children).replace(/\n$/, '')}
      label={t('text.code')}
      title={language}
    />
  );
}

function toText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  return Array.isArray(node) ? node.map(toText).join('') : '';
}
