/** Adds a package: dropped, chosen, or by path. It is inspected first; installing it is a separate step. */
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { Upload } from 'lucide-react';
import { type DragEvent, type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Input } from '../ui/forms/input.tsx';
import { useAction } from '../ui/use-action.ts';
import type { PackageSource } from './use-installed.ts';

interface Looked {
  readonly source: PackageSource;
  readonly inspected: InspectedPackage;
}

export function ImportPackage() {
  const { t } = useTranslation();
  const { packages } = useApi();
  const chooser = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState('');
  const [isOver, setOver] = useState(false);
  const [looked, setLooked] = useState<Looked>();
  const look = useAction(async (source: PackageSource) => {
    const inspected =
      typeof source === 'string'
        ? await packages.inspect({ body: { path: source } })
        : await packages.inspectUpload({ query: { name: source.name }, body: source });
    setLooked({ source, inspected });
  });
  const takeFiles = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file) look.run(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    takeFiles(event.dataTransfer.files);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') look.run(path.trim());
  };
  return (
    <form
      aria-label={t('packages.bringIn')}
      onSubmit={submit}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classNames(
        'flex flex-col gap-2.5 rounded-lg border border-dashed border-line-strong p-3 transition-colors duration-(--quick)',
        isOver && 'border-accent-text bg-accent-soft',
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-32 grow basis-0 text-ink-faint">{t('packages.drop')}</p>
        <Button
          icon={<Upload aria-hidden="true" className="size-4" />}
          isBusy={look.isBusy}
          onClick={() => chooser.current?.click()}
        >
          {t('packages.choose')}
        </Button>
        <input
          ref={chooser}
          type="file"
          accept=".bmad,.zip"
          className="hidden"
          tabIndex={-1}
          aria-label={t('packages.choose')}
          onChange={(event) => {
            takeFiles(event.target.files);
            event.target.value = '';
          }}
        />
      </div>
      <div className="flex gap-2">
        <Input
          aria-label={t('packages.path')}
          placeholder={t('packages.pathShort')}
          value={path}
          spellCheck={false}
          className="font-mono"
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={path.trim() === '' || look.isBusy}>
          {t('packages.import')}
        </Button>
      </div>
      <ErrorNote issue={look.issue} />
      {looked ? (
        <Suspense>
          <ImportDialog
            {...looked}
            onClose={() => setLooked(undefined)}
            onInstalled={() => {
              setLooked(undefined);
              setPath('');
            }}
          />
        </Suspense>
      ) : undefined}
    </form>
  );
}

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));
