/**
 * A diff, line by line: line numbers on both sides, a sign and a colour. The sign alone is sufficient. Of a long diff only the
 * rows near the visible part are rendered.
 */
import { toVisibleText } from '@crewagent/protocol/visible-text';
import {
  type CSSProperties,
  Fragment,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../class-names.ts';
import { type ChangedPart, findChangedParts } from './changed-words.ts';
import { type Diff, type DiffLine, type DiffRow, toDiffRows } from './parse-diff.ts';
import { type Sight, watchRows } from './sight.ts';
import { type DiffPair, isPair, toDiffPairs } from './to-diff-pairs.ts';

interface DiffViewProps {
  readonly diff: Diff;
  readonly label: string;
  readonly className?: string;
  /** Default: one column. */
  readonly isSplit?: boolean;
  /** As high as its rows: what is around it scrolls. */
  readonly isWhole?: boolean;
  /** Must be viewed: it scrolls with what is around it, and what was on screen is reported. */
  readonly viewing?: Viewing;
}

export interface Viewing {
  readonly sight: Sight;
  /** Scrolls to a row while the diff is rendered. */
  readonly goTo: RefObject<((row: number) => void) | undefined>;
}

const BLOCK_ROWS = 100;

export function DiffView({
  diff,
  label,
  className,
  viewing,
  isSplit = false,
  isWhole = false,
}: DiffViewProps) {
  const { t } = useTranslation();
  const lines = useMemo(() => toDiffRows(diff), [diff]);
  const changed = useMemo(() => findChangedParts(lines), [lines]);
  const rows = useMemo(() => (isSplit ? toDiffPairs(lines) : lines), [isSplit, lines]);
  const [blocks] = useState(createNearBlocks);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!box.current || !viewing) return undefined;
    const watched = box.current;
    viewing.goTo.current = (row) => showRow(watched, blocks, row);
    const unwatch = watchRows(watched, viewing.sight);
    return () => {
      unwatch();
      viewing.goTo.current = undefined;
    };
  }, [viewing, blocks]);
  return (
    <div className={classNames('overflow-clip rounded-md border bg-surface', className)}>
      {/* biome-ignore lint/a11y/useSemanticElements: not a form; a section would be a landmark, and there are many of these */}
      <div
        ref={box}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        dir="ltr"
        style={useMemo(() => toNumberWidths(lines), [lines])}
        className={classNames(
          'py-1 font-mono text-sm -outline-offset-2',
          !viewing && !isWhole && 'max-h-96 overflow-auto',
        )}
      >
        {Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
          <Block key={index} rows={rows} changed={changed} start={index * BLOCK_ROWS} blocks={blocks} />
        ))}
      </div>
      {diff.isWindows ? (
        <p className="border-t px-3 py-0.5 text-xs text-ink-faint">{t('diff.isWindows')}</p>
      ) : undefined}
    </div>
  );
}

function showRow(diff: HTMLElement, blocks: NearBlocks, row: number): void {
  const inBlock = row % BLOCK_ROWS;
  const start = row - inBlock;
  flushSync(() => blocks.show(start));
  const target = diff.querySelector(`[data-rows="${start}"]`)?.children[inBlock];
  let scroller: HTMLElement | null = diff;
  while (scroller && !/auto|scroll/.test(getComputedStyle(scroller).overflowY))
    scroller = scroller.parentElement;
  if (target && scroller)
    scroller.scrollTop +=
      target.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ABOVE_PX;
}

/** Of the row before. */
const ABOVE_PX = 9;

/** Columns are as wide as their longest number. */
function toNumberWidths(rows: readonly DiffRow[]): CSSProperties {
  const widthOf = (side: 'before' | 'after'): string => {
    const largest = rows.reduce((max, row) => Math.max(max, row[side] ?? 0), 0);
    return largest === 0 ? '0.25rem' : `calc(${String(largest).length}ch + 0.5rem)`;
  };
  return { '--before': widthOf('before'), '--after': widthOf('after') } as CSSProperties;
}

interface BlockProps {
  readonly rows: readonly (DiffRow | DiffPair)[];
  readonly changed: ReadonlyMap<DiffRow, ChangedPart>;
  readonly start: number;
  readonly blocks: NearBlocks;
}

function Block({ rows, changed, start, blocks }: BlockProps) {
  const { ref, isNear, height } = useNearBlock(blocks, start);
  const end = Math.min(rows.length, start + BLOCK_ROWS);
  if (!isNear) return <div ref={ref} style={{ height: height ?? `${(end - start) * ROW_REM}rem` }} />;
  return (
    <div ref={ref} data-rows={start}>
      {rows.slice(start, end).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
        <Fragment key={index}>
          {isPair(row) ? <Pair pair={row} changed={changed} /> : <Row row={row} part={changed.get(row)} />}
        </Fragment>
      ))}
    </div>
  );
}

/** Height of a row that is not wrapped. */
const ROW_REM = 1.125;

/** Both versions of a line. */
interface PairProps extends Pick<BlockProps, 'changed'> {
  readonly pair: DiffPair;
}

function Pair({ pair: { before, after }, changed }: PairProps) {
  return (
    <div className="grid min-h-4.5 grid-cols-2 divide-x">
      <Side row={before} number={before?.before} part={before && changed.get(before)} />
      <Side row={after} number={after?.after} part={after && changed.get(after)} />
    </div>
  );
}

interface SideProps {
  readonly row: DiffRow | undefined;
  readonly number: number | undefined;
  readonly part: ChangedPart | undefined;
}

function Side({ row, number, part }: SideProps) {
  if (!row) return <div className="bg-sunken" />;
  const { sign, look } = KINDS[row.kind];
  return (
    <div className={`grid overflow-clip grid-cols-[var(--after)_1rem_minmax(0,1fr)] ${look}`}>
      <span className={NUMBER}>{number}</span>
      <span className="text-center font-semibold select-none">{row.isMore ? '' : sign}</span>
      <span className="pe-2 whitespace-pre-wrap wrap-anywhere [tab-size:2]">
        <LineText text={row.text} part={part} />
      </span>
    </div>
  );
}

interface LineTextProps {
  readonly text: string;
  readonly part: ChangedPart | undefined;
}

/** With the words that differ underlined: a colour for each would be one too many. */
function LineText({ text, part = [0, 0] }: LineTextProps) {
  const [from, to] = part;
  const shown = [text.slice(0, from), text.slice(from, to), text.slice(to)].map(useShownLine);
  return (
    <>
      {shown[0]}
      {to > from ? (
        <b className="font-bold underline decoration-from-font underline-offset-3">{shown[1]}</b>
      ) : undefined}
      {shown[2]}
    </>
  );
}

/** Every character of a line visible. */
function useShownLine(text: string): string {
  const { t } = useTranslation();
  return toVisibleText(text).replace(BLANKS, (_, count: string) =>
    t('diff.blanks', { number: formatNumber(Number(count.replaceAll(',', ''))) }),
  );
}

interface RowProps {
  readonly row: DiffRow;
  readonly part: ChangedPart | undefined;
}

function Row({ row, part }: RowProps) {
  const { sign, look } = KINDS[row.kind];
  const text = useShownLine(row.text);
  if (row.kind === 'hunk' || row.kind === 'note' || row.kind === 'file')
    return (
      <div className={`min-h-4.5 overflow-clip px-3 whitespace-pre-wrap wrap-anywhere ${look}`}>
        {row.kind === 'file' ? text.replace(/^@project\//, '') : text}
      </div>
    );
  return (
    <div
      className={`grid min-h-4.5 overflow-clip grid-cols-[var(--before)_var(--after)_1rem_minmax(0,1fr)] ${look}`}
    >
      <span className={NUMBER}>{row.before}</span>
      <span className={NUMBER}>{row.after}</span>
      <span className="text-center font-semibold select-none">{row.isMore ? '' : sign}</span>
      <span className="pe-3 whitespace-pre-wrap wrap-anywhere [tab-size:2]">
        <LineText text={row.text} part={part} />
      </span>
    </div>
  );
}

const NUMBER = 'pe-1 text-end text-xs leading-[1.125rem] text-ink-faint select-none';
/** As `toVisibleText` writes them; text cannot contain the opening mark. */
const BLANKS = /⟨([\d,]+) blanks⟩/g;

const KINDS: Readonly<Record<DiffLine['kind'], { readonly sign: string; readonly look: string }>> = {
  added: { sign: '+', look: 'bg-ok-soft text-ok' },
  removed: { sign: '−', look: 'bg-bad-soft text-bad' },
  same: { sign: '', look: 'text-ink-soft' },
  hunk: { sign: '', look: 'bg-sunken py-0.5 text-xs text-ink-faint' },
  note: { sign: '', look: 'text-ink-faint' },
  file: { sign: '', look: 'border-y bg-sunken py-0.5 font-medium text-ink' },
};

/** Rendered before they can be seen. Browsers that do not know `scrollMargin` render a block when its first pixel is seen. */
const AHEAD = '600px';

type NearBlocks = ReturnType<typeof createNearBlocks>;

/** Which blocks of a long list are near the visible part of their scrollers, so that only those are rendered. */
function createNearBlocks() {
  const known = new Map<Element, (isNear: boolean) => void>();
  const byStart = new Map<number, (isNear: boolean) => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) known.get(target)?.(isIntersecting);
    },
    { scrollMargin: AHEAD, rootMargin: AHEAD } as IntersectionObserverInit,
  );
  return {
    observe(block: HTMLElement, start: number, onNear: (isNear: boolean) => void): () => void {
      known.set(block, onNear);
      byStart.set(start, onNear);
      observer.observe(block);
      return () => {
        known.delete(block);
        byStart.delete(start);
        observer.unobserve(block);
      };
    },
    /** Renders a block that is to be scrolled to. */
    show: (start: number): void => byStart.get(start)?.(true),
  };
}

/** Whether a block is near, and else the height it had, in pixels. The first block is there from the start. */
function useNearBlock(
  blocks: NearBlocks,
  start: number,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly isNear: boolean; readonly height?: number } {
  const ref = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(start === 0);
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const block = ref.current;
    if (!block) return undefined;
    return blocks.observe(block, start, (next) => {
      if (!next) setHeight(block.offsetHeight);
      setNear(next);
    });
  }, [blocks, start]);
  return { ref, isNear, height };
}
