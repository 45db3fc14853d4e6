/** Renders inline Markdown: text, emphasis, external links, and images by name without fetching them. */
import { ExternalLink, ImageOff, Square, SquareCheck } from 'lucide-react';
import type { MarkedToken, Token, Tokens } from 'marked';
import { Fragment, type ReactNode, useContext } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { decodeReferences } from './decode-references.ts';
import { FileLinkContext, toPath } from './file-links.ts';

export function Inline({ tokens }: { readonly tokens: readonly Token[] | undefined }): ReactNode {
  // The text is parsed as a whole on each change: the index identifies a token.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return tokens?.map((token, index) => <Fragment key={index}>{toNode(token as MarkedToken)}</Fragment>);
}

function toNode(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : decodeReferences(token.text);
    case 'escape':
      return token.text;
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
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

/** Images are not fetched: a request would tell the image's host that the text was read. */
function Picture({ token }: { readonly token: Tokens.Image }) {
  const { t } = useTranslation();
  const name = decodeReferences(token.text);
  return (
    <span
      title={token.href}
      className="inline-flex items-center gap-1 rounded-sm border bg-sunken px-1.5 py-0.5 text-sm text-ink-faint"
    >
      <ImageOff aria-hidden="true" className="size-3.5" />
      {name ? t('text.imageNamed', { name }) : t('text.image')}
    </span>
  );
}

function Task({ isDone }: { readonly isDone: boolean }) {
  const { t } = useTranslation();
  const Mark = isDone ? SquareCheck : Square;
  return <Mark role="img" aria-label={t(isDone ? 'text.taskDone' : 'text.taskOpen')} className="task" />;
}

/** Only absolute web and mail URLs become links. */
function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}
