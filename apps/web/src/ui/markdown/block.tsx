/** Renders one Markdown block; memoized by its text. */
import type { MarkedToken, Token, Tokens } from 'marked';
import { memo, type ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { Inline } from './inline.tsx';

interface BlockProps {
  readonly token: MarkedToken;
  /** Nesting depth. */
  readonly depth: number;
}

export const Block = memo(
  function Block({ token, depth }: BlockProps): ReactNode {
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
        return <Table token={token} />;
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
  const language = /^[\w+#-]+/.exec(lang ?? '')?.[0];
  return (
    <CodeBlock text={text.replace(/\n$/, '')} label={t('text.code')} title={language} language={language} />
  );
}

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

function Table({ token: { header, rows } }: { readonly token: Tokens.Table }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
    <section className="table-frame" tabIndex={0} aria-label={t('text.table')}>
      <table>
        <thead>
          <Row cells={header} />
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <Row key={index} cells={cells} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ cells }: { readonly cells: readonly Tokens.TableCell[] }) {
  return (
    <tr>
      {cells.map(({ header, align, tokens }, index) => {
        const Cell = header ? 'th' : 'td';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Cell key={index} style={align ? { textAlign: align } : undefined}>
            <Inline tokens={tokens} />
          </Cell>
        );
      })}
    </tr>
  );
}
