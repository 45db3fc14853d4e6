/** What stands in a line of markdown: words, marks, links that lead outside, pictures that are not fetched. */
import { ExternalLink, ImageOff, Square, SquareCheck } from 'lucide-react';
import type { MarkedToken, Token, Tokens } from 'marked';
import { Fragment, type ReactNode, useContext } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { decodeReferences } from './decode-references.ts';
import { FileLinkContext, toPath } from './file-links.ts';

export function Inline({ tokens }: { readonly tokens: readonly Token[] | undefined }): ReactNode {
  // A text is read anew, never changed: the place of a token says which one it is.
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
    // HTML, and whatever else there is, is the text it is.
    default:
      return token.raw;
  }
}

function Link({ token }: { readonly token: Tokens.Link }) {
  const { t } = useTranslation();
  const { href, text, tokens, autolink = false } = token;
  const words = autolink ? text : <Inline tokens={tokens} />;
  const url = toSafeUrl(autolink ? href : decodeReferences(href));
  if (url === undefined)
    return (
      <WithFileLink target={decodeReferences(href)}>
        <span>{words}</span>
      </WithFileLink>
    );
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {words}
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

/** A picture from elsewhere would tell its owner that it was looked at. */
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

/** Absolute addresses of the web and of mail; everything else leads nowhere. */
function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}
