/**
 * A diff, line by line: line numbers on both sides, a sign and a colour. The sign alone is sufficient.
 */
import { toVisibleText } from '@crewagent/protocol/visible-text';
import { useEffect, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../class-names.ts';
import { toShownPart } from './long-text.ts';
import type { Diff, DiffLine } from './parse-diff.ts';

interface DiffViewProps {
  readonly diff: Diff;
  readonly label: string;
  readonly className?: string;
  /** Called with the number of lines behind "show more". */
  readonly onHidden?: (lines: number) => void;
}

export function DiffView({ diff, label, className, onHidden }: DiffViewProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(FIRST_LINES);
  const hidden = Math.max(0, diff.lines.length - shown);
  useEffect(() => onHidden?.(hidden), [hidden, onHidden]);
  return (
    <div className={classNames('overflow-hidden rounded-md border bg-surface', className)}>
      {/* biome-ignore lint/a11y/useSemanticElements: not a form; a section would be a landmark, and there are many of these */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        dir="ltr"
        className="max-h-96 overflow-auto py-1 font-mono text-sm -outline-offset-2"
      >
        <table className="w-full border-collapse">
          <thead className="sr-only">
            <tr>
              <th>{t('diff.before')}</th>
              <th>{t('diff.after')}</th>
              <th>{t('diff.sign')}</th>
              <th>{t('diff.line')}</th>
            </tr>
          </thead>
          <tbody>
            {diff.lines.slice(0, shown).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
              <Line key={index} line={line} />
            ))}
          </tbody>
        </table>
      </div>
      {diff.isWindows ? (
        <p className="border-t px-3 py-0.5 text-xs text-ink-faint">{t('diff.isWindows')}</p>
      ) : undefined}
      {hidden > 0 ? (
        <button
          type="button"
          onClick={() => setShown(shown + MORE_LINES)}
          className="h-7 w-full border-t text-sm text-accent-text -outline-offset-2 hover:bg-hover"
        >
          {t('diff.showMore', { count: hidden })}
        </button>
      ) : undefined}
    </div>
  );
}

const FIRST_LINES = 300;
const MORE_LINES = 2_000;
/** Per line. */
const FIRST_CHARS = 4_000;
const MORE_CHARS = 40_000;

function Line({ line }: { readonly line: DiffLine }) {
  const { sign, look } = KINDS[line.kind];
  const { t } = useTranslation();
  const [chars, setChars] = useState(FIRST_CHARS);
  const part = toShownPart(line.text, chars);
  const text = toVisibleText(part.text.replaceAll('\n', ''));
  if (line.kind === 'hunk' || line.kind === 'note') {
    return (
      <tr>
        <td colSpan={4} className={`px-3 py-0.5 ${look}`}>
          {text}
        </td>
      </tr>
    );
  }
  return (
    <tr className={`align-top ${look}`}>
      <td className="w-0 ps-2 pe-1 text-end text-xs leading-[1.125rem] text-ink-faint select-none">
        {line.before}
      </td>
      <td className="w-0 px-1 text-end text-xs leading-[1.125rem] text-ink-faint select-none">
        {line.after}
      </td>
      <td className="w-4 text-center font-semibold select-none">{sign}</td>
      <td className="pe-3 whitespace-pre-wrap wrap-anywhere [tab-size:2]">
        {text}
        {part.hiddenChars > 0 ? (
          <button
            type="button"
            onClick={() => setChars(chars + MORE_CHARS)}
            className="mx-1 rounded-sm border px-1 text-accent-text hover:bg-hover"
          >
            {t('diff.showRest', { count: part.hiddenChars })}
          </button>
        ) : undefined}
      </td>
    </tr>
  );
}

const KINDS: Readonly<Record<DiffLine['kind'], { readonly sign: string; readonly look: string }>> = {
  added: { sign: '+', look: 'bg-ok-soft text-ok' },
  removed: { sign: '−', look: 'bg-bad-soft text-bad' },
  same: { sign: '', look: 'text-ink-soft' },
  hunk: { sign: '', look: 'bg-sunken text-xs text-ink-faint' },
  note: { sign: '', look: 'text-ink-faint' },
};
