/** The installed packages, and bringing one in: dropped, chosen, or by its path. */
import { useQueryClient } from '@tanstack/react-query';
import { Boxes, Upload } from 'lucide-react';
import { type DragEvent, type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { KEYS, usePackages } from '../api/queries.ts';
import { useToasts } from '../state/toasts.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Input } from '../ui/input.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { Rows, Section } from './section.tsx';

export function PackagesSection() {
  const { t } = useTranslation();
  const { data: packages, error } = usePackages();
  return (
    <Section title={t('rail.packages')}>
      <div className="flex flex-col gap-3">
        <FaultNote fault={error?.message} />
        {packages === undefined && !error ? <Skeleton className="h-14" /> : undefined}
        {packages && packages.length > 0 ? (
          <Rows label={t('rail.packages')}>
            {packages.map(({ hash, name, version, description }) => (
              <li key={hash} className="flex items-center gap-3 px-3.5 py-2.5">
                <Boxes aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
                <span className="min-w-0 grow">
                  <span className="block truncate font-medium">{toShownLine(name)}</span>
                  {description ? (
                    <span className="block truncate text-sm text-ink-faint">{toShownLine(description)}</span>
                  ) : undefined}
                </span>
                <span className="shrink-0 text-sm text-ink-faint tabular-nums">{toShownLine(version)}</span>
              </li>
            ))}
          </Rows>
        ) : undefined}
        <ImportPackage />
      </div>
    </Section>
  );
}

function ImportPackage() {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState('');
  const [isOver, setOver] = useState(false);
  const bringIn = useAction(async (from: File | string) => {
    const imported =
      typeof from === 'string'
        ? await client.packages.importPath({ body: { path: from } })
        : await client.packages.upload({ query: { name: from.name }, body: from });
    await queries.invalidateQueries({ queryKey: KEYS.packages });
    setPath('');
    const said = imported.alreadyInstalled ? 'packages.wasThere' : 'packages.installed';
    useToasts.getState().show(t(said, { name: toShownLine(imported.package.name) }));
  });
  const takeFiles = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file) bringIn.run(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    takeFiles(event.dataTransfer.files);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path !== '') bringIn.run(path);
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
        'flex flex-col gap-2.5 rounded-lg border border-dashed border-line-strong p-3.5',
        isOver && 'border-accent-text bg-accent-soft',
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 grow text-ink-faint">{t('packages.drop')}</p>
        <Button
          icon={<Upload aria-hidden="true" className="size-4" />}
          isBusy={bringIn.isBusy}
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
          placeholder={t('packages.path')}
          value={path}
          spellCheck={false}
          className="font-mono"
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={path === '' || bringIn.isBusy}>
          {t('packages.import')}
        </Button>
      </div>
      <FaultNote fault={bringIn.fault} />
    </form>
  );
}
