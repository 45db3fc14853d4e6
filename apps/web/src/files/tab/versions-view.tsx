/** A file as each step left it: what the step changed, or the file as it was. Loaded lazily. */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatClock } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { FileDiffView } from '../../run/inspector/artifacts/file-diff-view.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Select } from '../../ui/forms/input.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DocumentView } from '../document/document-view.tsx';
import { kindOf } from '../file-kinds.tsx';
import { nameOf } from '../paths.ts';
import { Picture } from '../previews/picture-view.tsx';
import { type FileVersionOf, useVersion } from './use-versions.ts';

interface VersionsViewProps {
  readonly projectId: string;
  readonly path: string;
  /** Oldest first, at least one. */
  readonly versions: readonly FileVersionOf[];
}

const SHOWN = ['changes', 'file'] as const;

export default function VersionsView({ projectId, path, versions }: VersionsViewProps) {
  const { t } = useTranslation();
  // Undefined: the newest, also when another is made. -1: before the run.
  const [chosen, setChosen] = useState<number>();
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('changes');
  const last = versions.length - 1;
  const at = Math.min(chosen ?? last, last);
  const version = versions[Math.max(at, 0)];
  const choose = (index: number): void => setChosen(index === last ? undefined : index);
  if (!version) return undefined;
  const isBefore = at < 0;
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-canvas px-3 py-1.5">
        <IconButton
          size="sm"
          label={t('files.versions.older')}
          disabled={isBefore}
          onClick={() => choose(at - 1)}
        >
          <ChevronLeft />
        </IconButton>
        <div className="w-80 max-w-full min-w-0">
          <Select
            aria-label={t('files.versions.choose')}
            value={String(at)}
            onChoose={(value) => choose(Number(value))}
            options={[
              ...versions
                .map((each, index) => ({ value: String(index), label: labelOf(each, index) }))
                .toReversed(),
              { value: '-1', label: t('files.versions.before') },
            ]}
          />
        </div>
        <IconButton
          size="sm"
          label={t('files.versions.newer')}
          disabled={at === last}
          onClick={() => choose(at + 1)}
        >
          <ChevronRight />
        </IconButton>
        {isBefore ? undefined : (
          <Switch
            label={t('files.versions.show')}
            value={shown}
            options={SHOWN.map((each) => ({ value: each, label: t(`files.versions.${each}`) }))}
            onChange={setShown}
          />
        )}
      </div>
      <div className="min-h-0 grow">
        {shown === 'changes' && !isBefore && kindOf(nameOf(path)) === 'image' ? (
          <BeforeAndAfter {...{ projectId, path, version }} />
        ) : shown === 'changes' && !isBefore ? (
          <div className="h-full overflow-auto px-4 pt-10 pb-4">
            <FileDiffView of={{ ...version, mark: '' }} isWhole />
          </div>
        ) : (
          <OldFile projectId={projectId} path={path} version={version} side={isBefore ? 'before' : 'after'} />
        )}
      </div>
    </div>
  );

  function labelOf({ step, at: when }: FileVersionOf, index: number): string {
    const title = step === undefined ? t('files.versions.noStep') : toShownLine(step);
    return [index + 1, title, formatClock(when)].join(' · ');
  }
}

/** Two pictures instead of a diff. */
function BeforeAndAfter(props: Omit<OldFileProps, 'side' | 'pictureName'>) {
  const { t } = useTranslation();
  return (
    <div className="grid h-full grid-cols-1 divide-y overflow-auto sm:grid-cols-2 sm:divide-x sm:divide-y-0">
      {(['before', 'after'] as const).map((side) => (
        <figure key={side} className="flex min-h-60 min-w-0 flex-col">
          <figcaption className="shrink-0 border-b px-3 py-1.5 text-sm text-ink-faint">
            {t(`files.versions.side.${side}`)}
          </figcaption>
          <div className="min-h-0 grow">
            <OldFile
              {...props}
              side={side}
              pictureName={`${t(`files.versions.side.${side}`)} · ${nameOf(props.path)}`}
            />
          </div>
        </figure>
      ))}
    </div>
  );
}

interface OldFileProps extends Pick<VersionsViewProps, 'projectId' | 'path'> {
  readonly version: FileVersionOf;
  readonly side: 'before' | 'after';
  /** Default: the name of the file. */
  readonly pictureName?: string;
}

function OldFile({ projectId, path, version, side, pictureName = nameOf(path) }: OldFileProps) {
  const { t } = useTranslation();
  const { data, error } = useVersion(version, side);
  const blob = useMemo(
    () => (data?.base64 === undefined ? undefined : new Blob([toBytes(data.base64)])),
    [data],
  );
  if (error)
    return (
      <div className="p-4">
        <ErrorNote issue={error} />
      </div>
    );
  if (!data) return <Skeleton className="m-4 h-40" />;
  if (blob && kindOf(nameOf(path)) === 'image')
    return <Picture name={pictureName} blob={blob} bytes={blob.size} />;
  if (data.text === undefined)
    return (
      <p className="p-4 text-ink-soft">
        {t(`files.versions.none.${blob ? 'binary' : (data.reason ?? 'absent')}`)}
      </p>
    );
  if (kindOf(nameOf(path)) === 'markdown')
    return <DocumentView projectId={projectId} path={path} text={data.text} />;
  return (
    <div className="h-full overflow-auto p-4">
      <CodeBlock text={data.text} label={t('files.text', { name: toShownLine(nameOf(path)) })} wraps />
    </div>
  );
}

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
