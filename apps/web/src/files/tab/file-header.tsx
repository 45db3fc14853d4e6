/** Header of a file's tab: path, status, view switch and actions. */

import type { FileEncoding, LineEnding } from '@crewagent/protocol/api/files';
import { Save } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { nameOf } from '../paths.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { FileMenu } from './file-menu.tsx';
import type { FileView } from './file-views.ts';
import { type OpenedFile, toText } from './use-file.ts';

interface FileHeaderProps {
  readonly projectId: string;
  readonly path: string;
  readonly file: OpenedFile;
  readonly views: readonly FileView[];
  readonly view: FileView;
  readonly onView: (view: FileView) => void;
}

export function FileHeader({ projectId, path, file, views, view, onView }: FileHeaderProps) {
  const { t } = useTranslation();
  const isUnsaved = file.draft !== undefined;
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-1">
      <h1 className="sr-only">{toShownLine(nameOf(path))}</h1>
      <Breadcrumb projectId={projectId} path={path} />
      <TextFacts file={file} />
      <div className="flex items-center gap-2">
        {isUnsaved ? <Badge tone="warn">{t('workspace.dirty')}</Badge> : undefined}
        {views.length > 1 ? <ViewSwitch views={views} view={view} onView={onView} /> : undefined}
        {isUnsaved ? (
          <Button
            kind="primary"
            size="sm"
            icon={<Save aria-hidden="true" className="size-3.5" />}
            isBusy={file.isSaving}
            disabled={file.standing === 'conflict' || file.standing === 'gone'}
            onClick={() => file.save()}
          >
            {t('action.save')}
          </Button>
        ) : undefined}
        <FileMenu projectId={projectId} path={path} />
      </div>
    </div>
  );
}

/** Encoding and line endings. */
function TextFacts({ file: { content, draft } }: { readonly file: OpenedFile }) {
  const { t } = useTranslation();
  const { encoding, lineEnding } = draft ?? toText(content) ?? {};
  if (encoding === undefined || lineEnding === undefined) return undefined;
  const ends = lineEnding === 'mixed' ? t('files.mixedLineEnds') : LINE_ENDS[lineEnding];
  return (
    <p className="text-xs text-ink-faint max-sm:hidden">
      {[ENCODINGS[encoding], ...(ends === undefined ? [] : [ends])].join(' · ')}
    </p>
  );
}

/** The same in every language. */
const ENCODINGS: Readonly<Record<FileEncoding, string>> = {
  utf8: 'UTF-8',
  'utf8-bom': 'UTF-8 BOM',
  utf16le: 'UTF-16 LE',
  utf16be: 'UTF-16 BE',
  latin1: 'Latin-1',
};

const LINE_ENDS: Readonly<Partial<Record<LineEnding, string>>> = { lf: 'LF', crlf: 'CRLF' };

interface ViewSwitchProps {
  readonly views: readonly FileView[];
  readonly view: FileView;
  readonly onView: (view: FileView) => void;
}

/** Chooses the view of a file. */
function ViewSwitch({ views, view, onView }: ViewSwitchProps) {
  const { t } = useTranslation();
  return (
    <ToggleGroup.Root
      type="single"
      value={view}
      aria-label={t('files.views.label')}
      // Pressing the active option again changes nothing.
      onValueChange={(next) => next !== '' && onView(next as FileView)}
      className="flex h-6.5 items-center rounded-md bg-hover p-0.5 pointer-coarse:h-11"
    >
      {views.map((each) => (
        <ToggleGroup.Item
          key={each}
          value={each}
          className="h-full rounded-sm px-2 text-sm font-medium text-ink-soft hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-raised"
        >
          {t(`files.views.${each}`)}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
