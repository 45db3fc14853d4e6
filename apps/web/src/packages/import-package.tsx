/** Brings a package in: dropped, chosen, or by its path. It is looked at first; installing it is another decision. */
import '../i18n/package-texts.ts';
import type { DesktopBridge } from '@crewagent/protocol/desktop-bridge';
import { FolderUp, Upload } from 'lucide-react';
import { type DragEvent, type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { isBundle, openBundle } from '../navigation/opened-bundle.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { useOffers } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Input } from '../ui/forms/input.tsx';
import { useAction } from '../ui/use-action.ts';
import { useInspection } from './install/use-installed.ts';
import { chooseFolder, readDropped } from './read-folder.ts';

export function ImportPackage() {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState('');
  const [isOver, setOver] = useState(false);
  const hasPaths = useOffers('packages.inspect');
  const convertsFolders = useOffers('imports.upload');
  const hint = convertsFolders ? 'packages.drop' : 'packages.dropPackage';
  const { look, looked, staged, clear } = useInspection();
  const chosen = useAction(async (bridge: DesktopBridge) => {
    const file = await bridge.choosePackage();
    if (file !== undefined) look.run(file);
  });
  const takeFiles = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file && isBundle(file)) openBundle(file);
    else if (file) look.run(file);
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
    if (dropped instanceof File && isBundle(dropped)) openBundle(dropped);
    else if (dropped) look.run(dropped);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') look.run(path.trim());
  };
  const finish = (): void => {
    clear();
    setPath('');
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
        <p className="min-w-60 grow basis-0 text-ink-faint">{t(hint)}</p>
        <Button icon={<Upload className="size-4" />} isBusy={look.isBusy} onClick={choose}>
          {t('packages.choose')}
        </Button>
        {convertsFolders ? (
          <Button
            icon={<FolderUp className="size-4" />}
            disabled={look.isBusy}
            onClick={() => chooseFolder((zip) => look.run(zip))}
          >
            {t('import.chooseFolder')}
          </Button>
        ) : undefined}
        <input
          ref={chooser}
          type="file"
          accept=".bmad,.zip,.md,.crewrun"
          className="hidden"
          tabIndex={-1}
          aria-label={t('packages.choose')}
          onChange={(event) => {
            takeFiles(event.target.files);
            event.target.value = '';
          }}
        />
      </div>
      <div className={hasPaths ? 'flex gap-2' : 'hidden'}>
        <Input
          aria-label={t('packages.path')}
          placeholder={t('packages.pathShort')}
          value={path}
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={path.trim() === ''} isBusy={look.isBusy}>
          {t('packages.import')}
        </Button>
      </div>
      <ErrorNote issue={look.issue ?? chosen.issue} />
      <Suspense>
        {looked ? <ImportDialog {...looked} onClose={clear} onInstalled={finish} /> : undefined}
        {staged ? <SourceDialog staged={staged} onClose={clear} onInstalled={finish} /> : undefined}
      </Suspense>
    </form>
  );
}

const SourceDialog = lazy(async () => ({ default: (await import('./source-dialog.tsx')).SourceDialog }));
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));
