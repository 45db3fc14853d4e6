/** Diff of a file, or the reason there is none; side by side where there is room, if the person wants it so. */
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { type DiffOf, useFileDiff } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { DIFF_MODES, useDiffMode } from '../../../state/diff-mode.ts';
import { DiffStat } from '../../../ui/code/diff-stat.tsx';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import { parseDiff } from '../../../ui/code/parse-diff.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

interface FileDiffViewProps {
  readonly of: DiffOf;
  /** As high as its rows. */
  readonly isWhole?: boolean;
}

export function FileDiffView({ of, isWhole = false }: FileDiffViewProps) {
  const { t } = useTranslation();
  const { data, error, isPending } = useFileDiff(of);
  const diff = useMemo(() => (data?.diff === undefined ? undefined : parseDiff(data.diff)), [data]);
  const box = useRef<HTMLDivElement>(null);
  // A new file has nothing to be compared with.
  const hasBefore = diff?.lines.some(({ kind }) => kind === 'same' || kind === 'removed') ?? false;
  const isWide = useIsWide(box) && hasBefore;
  const mode = useDiffMode((state) => state.mode);
  return (
    <div ref={box} className="relative">
      {isPending ? (
        <Skeleton className="h-16" />
      ) : error ? (
        <ErrorNote issue={error} />
      ) : diff ? (
        <>
          <div className="absolute -top-6.5 right-0 flex items-center gap-3">
            <DiffStat diff={diff} />
            {isWide ? <ModeSwitch /> : undefined}
          </div>
          <DiffView
            diff={diff}
            label={t('diff.label')}
            isSplit={isWide && mode === 'split'}
            isWhole={isWhole}
          />
        </>
      ) : (
        <p className="text-sm text-ink-soft">{t(`inspector.files.noDiff.${data.reason ?? 'same'}`)}</p>
      )}
    </div>
  );
}

function ModeSwitch() {
  const { t } = useTranslation();
  const mode = useDiffMode((state) => state.mode);
  return (
    <Switch
      size="sm"
      label={t('diff.mode')}
      value={mode}
      options={DIFF_MODES.map((each) => ({ value: each, label: t(`diff.modes.${each}`) }))}
      onChange={(next) => useDiffMode.setState({ mode: next })}
    />
  );
}

/** Two columns of about forty characters. */
const WIDE_PX = 600;

function useIsWide(box: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE_PX));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return isWide;
}
