/** Brings a package in: dropped, chosen, or by its path. It is looked at first; installing it is another decision. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { ShownImport } from '@crewagent/protocol/api/imports';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import type { DesktopBridge } from '@crewagent/protocol/desktop-bridge';
import { FolderUp, Upload } from 'lucide-react';
import { type DragEvent, type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Input } from '../ui/forms/input.tsx';
import { useAction } from '../ui/use-action.ts';
import { chooseFolder, readDropped } from './read-folder.ts';
import type { PackageSource } from './use-installed.ts';

interface Looked {
  readonly source: PackageSource;
  readonly inspected: InspectedPackage;
}

export function ImportPackage() {
  const { t } = useTranslation();
  const { packages, imports } = useApi();
  const chooser = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState('');
  const [isOver, setOver] = useState(false);
  const [looked, setLooked] = useState<Looked>();
  const [staged, setStaged] = useState<ShownImport>();
  const look = useAction(async (given: PackageSource | Promise<File>) => {
    const source = await given;
    const inspected =
      typeof source === 'string'
        ? await packages.inspect({ body: { path: source } })
        : await packages.inspectUpload({ query: { name: source.name }, body: source });
    const converted = isNoPackage(inspected) ? await convert(source, inspected) : undefined;
    if (converted) setStaged(converted);
    else setLooked({ source, inspected });
  });
  /** A file that is not a package may be a source of another tool. */
  const convert = async (
    source: PackageSource,
    { report }: InspectedPackage,
  ): Promise<ShownImport | undefined> => {
    try {
      return typeof source === 'string'
        ? await imports.openPath({ body: { path: source } })
        : await imports.upload({ query: { name: source.name }, body: source });
    } catch (error) {
      const isNothing = error instanceof ApiError && error.code === 'USAGE';
      if (isNothing && !report.errors.every(({ code }) => code === 'NOT_A_PACKAGE')) return undefined;
      throw error;
    }
  };
  const chosen = useAction(async (bridge: DesktopBridge) => {
    const file = await bridge.choosePackage();
    if (file !== undefined) look.run(file);
  });
  const takeFiles = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file) look.run(file);
  };
  const choose = (): void => {
    const bridge = findBridge();
    if (!bridge) chooser.current?.click();
    else chosen.run(bridge);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const dropped = readDropped(event.dataTransfer);
    if (dropped) look.run(dropped);
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
        <p className="min-w-60 grow basis-0 text-ink-faint">{t('packages.drop')}</p>
        <Button icon={<Upload aria-hidden="true" className="size-4" />} isBusy={look.isBusy} onClick={choose}>
          {t('packages.choose')}
        </Button>
        <Button
          icon={<FolderUp aria-hidden="true" className="size-4" />}
          disabled={look.isBusy}
          onClick={() => chooseFolder((zip) => look.run(zip))}
        >
          {t('import.chooseFolder')}
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
      <ErrorNote issue={look.issue ?? chosen.issue} />
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
      {staged ? (
        <Suspense>
          <SourceDialog
            staged={staged}
            onClose={() => setStaged(undefined)}
            onInstalled={() => {
              setStaged(undefined);
              setPath('');
            }}
          />
        </Suspense>
      ) : undefined}
    </form>
  );
}

/** There is nothing of a package in it; a damaged package stays one. */
function isNoPackage({ report, contents }: InspectedPackage): boolean {
  if (report.ok || contents) return false;
  return report.errors.some(({ code }) => CONVERTIBLE.has(code));
}

/** The last ones reject a package as a whole; of a source, such entries are left out and reported. */
const CONVERTIBLE: ReadonlySet<string> = new Set([
  'NOT_A_PACKAGE',
  'CLASSIC_BMAD',
  'TOO_MANY_ENTRIES',
  'ENTRY_NAME_UNSAFE',
  'ENTRY_IS_LINK',
  'ENTRY_IS_SPECIAL',
  'ENTRY_DUPLICATE',
  'ENTRY_CLASH',
  'ENTRY_ENCRYPTED',
  'ENTRY_METHOD_UNKNOWN',
  'FILE_TOO_LARGE',
  'PACKAGE_TOO_LARGE',
  'RATIO_TOO_HIGH',
]);

const SourceDialog = lazy(async () => ({ default: (await import('./source-dialog.tsx')).SourceDialog }));
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));
