/**
 * Renders Markdown as elements, also while it is streaming. HTML is shown as text, nothing is fetched, and links open a new
 * window without access to this one. Loaded lazily: use `Markdown`.
 */

import { characterEntities } from 'character-entities';
import { ExternalLink, ImageOff, Square, SquareCheck } from 'lucide-react';
import type { MarkedToken, Token, Tokens } from 'marked';
import {
  createContext,
  Fragment,
  lazy,
  memo,
  type ReactNode,
  Suspense,
  useContext,
  useMemo,
  useState,
} from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { toShownProse } from '../sanitize-text.ts';
import { Skeleton } from '../skeleton.tsx';
import { FileImageContext, FileLinkContext, toPath } from './file-links.ts';
import { asFormula, type FormulaToken } from './formula/formula-tokens.ts';
import { createBlockReader, readBlocks } from './read-blocks.ts';
import { Table } from './table.tsx';

interface FormattedMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

export default memo(function FormattedMarkdown({ text, isStreaming }: FormattedMarkdownProps) {
  const [readOn] = useState(createBlockReader);
  const { blocks, definitions } = useMemo(
    () => (isStreaming ? readOn(text) : readBlocks(text)),
    [text, isStreaming, readOn],
  );
  return (
    <StreamingContext value={isStreaming}>
      <div key={definitions} className="prose">
        <Blocks tokens={blocks} depth={0} />
      </div>
    </StreamingContext>
  );
});

/**
 * The first texts compile the expressions of the parser, which takes longer than a frame: a text for each kind of block. An expression is
 * compiled again, to faster code, when it is used for the second time.
 */
const FIRST_TEXTS = ['```ts\na\n```', '# b', '> c', '- d', '| e |\n| - |', 'f', '**g** _h_ `i` [j](k)'];
export const parserSteps = [...FIRST_TEXTS, ...FIRST_TEXTS].map((text) => () => createBlockReader()(text));

const StreamingContext = createContext(false);

interface BlockProps {
  readonly token: MarkedToken;
  /** Nesting depth. */
  readonly depth: number;
}

export const Block = memo(
  function Block({ token, depth }: BlockProps): ReactNode {
    const formula = asFormula(token);
    if (formula) return <Formula {...formula} />;
    if (depth > MAX_DEPTH) return <p className="whitespace-pre-wrap">{token.raw}</p>;
    switch (token.type) {
      case 'space':
      case 'def':
        return undefined;
      case 'paragraph':
        return (
          <p>
            <Inline tokens={token.tokens} />
          </p>
        );
      case 'heading':
        return <Heading token={token} />;
      case 'code':
        return <Code token={token} />;
      case 'list':
        return <List token={token} depth={depth} />;
      case 'blockquote':
        return (
          <blockquote>
            <Blocks tokens={token.tokens} depth={depth + 1} />
          </blockquote>
        );
      case 'table':
        return <Table token={token} renderCell={({ tokens }) => <Inline tokens={tokens} />} />;
      case 'hr':
        return <hr />;
      case 'text':
        return token.tokens ? (
          <Inline tokens={token.tokens} />
        ) : (
          <p className="whitespace-pre-wrap">{token.text}</p>
        );
      case 'html':
        return <p className="whitespace-pre-wrap">{token.raw.trim()}</p>;
      // Inline tokens, in tight lists.
      default:
        return <Inline tokens={[token]} />;
    }
  },
  (before, after) =>
    before.token === after.token ||
    (before.token.type === after.token.type && before.token.raw === after.token.raw),
);

const MAX_DEPTH = 24;

/** Renders one Markdown block; memoized by its text. */
export function Blocks({ tokens, depth }: { readonly tokens: readonly Token[]; readonly depth: number }) {
  return tokens.map((token, index) => (
    // The text is parsed as a whole on each change: the index identifies a block.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Block key={index} token={token as MarkedToken} depth={depth} />
  ));
}

function Heading({ token: { depth, tokens } }: { readonly token: Tokens.Heading }) {
  const Level = `h${Math.min(depth, 6)}` as 'h1';
  return (
    <Level>
      <Inline tokens={tokens} />
    </Level>
  );
}

function Code({ token: { text, lang } }: { readonly token: Tokens.Code }) {
  const { t } = useTranslation();
  // What is still being written is shown as it is.
  const isStreaming = useContext(StreamingContext);
  const language = /^[\w+#-]+/.exec(lang ?? '')?.[0];
  if (language === 'mermaid' && !isStreaming)
    return (
      <Suspense fallback={<Skeleton className="h-40" />}>
        <Diagram source={text} />
      </Suspense>
    );
  if (language === 'math' && !isStreaming) return <Formula source={text} isBlock />;
  return (
    <CodeBlock text={text.replace(/\n$/, '')} label={t('text.code')} title={language} language={language} />
  );
}

/** The source, until the library is loaded. */
function Formula({ source, isBlock }: Pick<FormulaToken, 'source' | 'isBlock'>) {
  return (
    <Suspense fallback={<code>{source}</code>}>
      <LoadedFormula source={source} isBlock={isBlock} />
    </Suspense>
  );
}

const Diagram = lazy(() => import('./diagram/diagram.tsx'));
const LoadedFormula = lazy(() => import('./formula/formula.tsx'));

function List({ token, depth }: { readonly token: Tokens.List; readonly depth: number }) {
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <li key={index}>
      <Blocks tokens={item.tokens} depth={depth + 1} />
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={token.start === '' ? 1 : token.start}>{items}</ol>;
}

/** Renders inline Markdown: text, emphasis, external links, and images by name without fetching them. */
export function Inline({ tokens }: { readonly tokens: readonly Token[] | undefined }): ReactNode {
  // The text is parsed as a whole on each change: the index identifies a token.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return tokens?.map((token, index) => <Fragment key={index}>{toNode(token as MarkedToken)}</Fragment>);
}

function toNode(token: MarkedToken): ReactNode {
  const formula = asFormula(token);
  if (formula) return <Formula {...formula} />;
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : decodeReferences(token.text);
    case 'escape':
      return token.text;
    case 'strong':
    case 'em':
    case 'del': {
      const Emphasis = token.type;
      return (
        <Emphasis>
          <Inline tokens={token.tokens} />
        </Emphasis>
      );
    }
    case 'codespan':
      return (
        <WithFileLink target={token.text}>
          <code>{token.text}</code>
        </WithFileLink>
      );
    case 'br':
      return <br />;
    case 'link':
      return <Link token={token} />;
    case 'image':
      return <Picture token={token} />;
    case 'checkbox':
      return <Task isDone={token.checked} />;
    // HTML and unknown tokens are shown as text.
    default:
      return token.raw;
  }
}

function Link({ token }: { readonly token: Tokens.Link }) {
  const { t } = useTranslation();
  const { href, text, tokens, autolink = false } = token;
  const label = autolink ? text : <Inline tokens={tokens} />;
  const url = toSafeUrl(autolink ? href : decodeReferences(href));
  if (url === undefined)
    return (
      <WithFileLink target={decodeReferences(href)}>
        <span>{label}</span>
      </WithFileLink>
    );
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {label}
      <ExternalLink aria-label={t('text.opensOutside')} className="ms-0.5 inline size-3 align-baseline" />
    </a>
  );
}

interface WithFileLinkProps {
  readonly target: string;
  readonly children: ReactNode;
}

function WithFileLink({ target, children }: WithFileLinkProps): ReactNode {
  const FileLink = useContext(FileLinkContext);
  const path = FileLink ? toPath(target) : undefined;
  return FileLink && path !== undefined ? <FileLink path={path}>{children}</FileLink> : children;
}

/** An image of the project is shown. Others are not fetched: a request would tell the image's host that the text was read. */
function Picture({ token }: { readonly token: Tokens.Image }) {
  const FileImage = useContext(FileImageContext);
  const name = decodeReferences(token.text);
  const path = FileImage ? toPath(decodePath(token.href)) : undefined;
  const placeholder = <NamedPicture name={name} href={token.href} />;
  if (!FileImage || path === undefined) return placeholder;
  return (
    <FileImage path={path} name={name}>
      {placeholder}
    </FileImage>
  );
}

function NamedPicture({ name, href }: { readonly name: string; readonly href: string }) {
  const { t } = useTranslation();
  return (
    <span
      title={href}
      className="inline-flex items-center gap-1 rounded-sm border bg-sunken px-1.5 py-0.5 text-sm text-ink-faint"
    >
      <ImageOff className="size-3.5" />
      {name ? t('text.imageNamed', { name }) : t('text.image')}
    </span>
  );
}

function Task({ isDone }: { readonly isDone: boolean }) {
  const { t } = useTranslation();
  const Mark = isDone ? SquareCheck : Square;
  return <Mark role="img" aria-label={t(isDone ? 'text.taskDone' : 'text.taskOpen')} className="task" />;
}

/** `my%20chart.png`; a text that is no URL stays as it is. */
function decodePath(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

/** Only absolute web and mail URLs become links. */
function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}

/** Decodes character references of Markdown (`&amp;`, `&#8212;`); unknown ones are left as they are. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  // A reference may decode to a control or bidi character.
  return toShownProse(
    text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return isCharacter(code) ? String.fromCodePoint(code) : '\ufffd';
    }),
  );
}

const NAMED: ReadonlyMap<string, string> = new Map(Object.entries(characterEntities));
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,31}));/gi;

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
