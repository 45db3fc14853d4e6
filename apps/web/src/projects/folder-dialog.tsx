/** Chooses a folder of the machine that the server is on: by going there, by its path, or by naming one to be made. */

import type { ApiClient } from '@crewagent/protocol/api/client';
import type { DesktopBridge } from '@crewagent/protocol/desktop-bridge';
import { useQueryClient } from '@tanstack/react-query';
import { CornerLeftUp, Folder, FolderPlus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useFolders } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Form } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { TextField } from '../ui/forms/simple-fields.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { ROW_BUTTON } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Action, useAction } from '../ui/use-action.ts';
import { EXAMPLE_FOLDER, isFolderName, joinFolder } from './folder-names.ts';

export interface FolderDialogProps {
  /** `new` names a folder to be made; `example`, `first` and `package` propose a name, and any other folder does as well. */
  readonly purpose: 'open' | 'new' | 'relink' | 'example' | 'first' | 'edit' | 'package';
  readonly onClose: () => void;
  readonly onChoose: Action<[path: string, isNew?: boolean]> | Action<[path: string]>;
}

const PROPOSED: Readonly<Partial<Record<FolderDialogProps['purpose'], string>>> = {
  example: EXAMPLE_FOLDER,
  first: 'crewagent',
  package: 'my-package',
};

/** Pause in typing after which the list follows. */
const TYPING_MS = 250;

export function FolderDialog({ purpose, onClose, onChoose }: FolderDialogProps) {
  const { t } = useTranslation();
  const [openPath, setOpenPath] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const [name, setName] = useState(PROPOSED[purpose] ?? '');
  const { data, error } = useFolders(openPath);
  useFollowTyped(typed, setOpenPath);
  const path = typed ?? data?.path ?? '';
  const isMissing = error !== null && path === openPath;
  const makesOne = purpose === 'new' || PROPOSED[purpose] !== undefined;
  const isNamed = makesOne && name.trim() !== '';
  const canChoose =
    path !== '' && !isMissing && (purpose === 'new' ? isFolderName(name) : !isNamed || isFolderName(name));
  const go = (to: string): void => {
    setOpenPath(to);
    setTyped(undefined);
    onChoose.forget();
  };
  const bridge = findBridge();
  const browse = useAction(async (window: DesktopBridge) => {
    const chosen = await window.chooseFolder();
    if (chosen !== undefined) go(chosen);
  });
  const choose = (): void => {
    if (!canChoose) return;
    if (isNamed) onChoose.run(joinFolder(path, name.trim()), true);
    else onChoose.run(path);
  };
  const nameField = (
    <TextField
      label={t('folders.newName')}
      hint={PROPOSED[purpose] === undefined ? undefined : t('folders.exampleHint')}
      issue={name !== '' && !isFolderName(name) ? t('folders.wrongName') : undefined}
      value={name}
      spellCheck={false}
      onChange={setName}
    />
  );
  return (
    <Dialog
      title={t(`folders.titles.${purpose}`)}
      description={t(`folders.texts.${purpose}`)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="primary" isBusy={onChoose.isBusy} disabled={!canChoose} onClick={choose}>
            {t(isNamed && purpose !== 'package' ? 'folders.makeAndOpen' : `folders.chooses.${purpose}`)}
          </Button>
        </>
      }
    >
      <Form onSubmit={choose} className="flex flex-col gap-3 pt-1.5">
        {makesOne ? nameField : undefined}
        <TextField
          label={t(makesOne ? 'folders.where' : 'folders.path')}
          value={path}
          spellCheck={false}
          className="font-mono"
          onChange={setTyped}
        />
        <ErrorNote issue={onChoose.issue ?? browse.issue ?? error} />
        <div className="flex flex-wrap gap-1.5">
          {bridge ? (
            <Button size="sm" isBusy={browse.isBusy} onClick={() => browse.run(bridge)}>
              {t('folders.browse')}
            </Button>
          ) : undefined}
          {data?.roots.map((root) => (
            <Button key={root.path} size="sm" onClick={() => go(root.path)}>
              {toShownLine(root.name)}
            </Button>
          ))}
        </div>
        {/* Enter in a field submits; a form with two fields needs a submit button for that. */}
        <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
      </Form>
      <FolderList listing={data} isMissing={isMissing} onGo={go} canMake={!makesOne} />
    </Dialog>
  );
}

/** Opens the typed path in the list after a pause. */
function useFollowTyped(typed: string | undefined, open: (path: string) => void): void {
  useEffect(() => {
    if (typed === undefined || typed === '') return undefined;
    const timer = setTimeout(() => open(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, open]);
}

interface FolderListProps {
  /** Undefined while loading. */
  readonly listing: Awaited<ReturnType<ApiClient['folders']['list']>> | undefined;
  /** There is no such folder: the list stays empty. */
  readonly isMissing?: boolean;
  readonly onGo: (path: string) => void;
  readonly canMake: boolean;
}

/** Subfolders of a folder: parent, entries, and creating another. */
function FolderList({ listing, isMissing = false, onGo, canMake }: FolderListProps) {
  const { t } = useTranslation();
  const up = listing?.parent === undefined ? [] : [{ path: listing.parent, name: t('folders.up') }];
  return (
    <>
      <ul
        aria-label={t('folders.list')}
        className="mt-2 h-56 divide-y divide-line overflow-auto rounded-lg border bg-surface"
      >
        {listing || isMissing ? undefined : (
          <li className="p-3">
            <Skeleton className="h-20" />
          </li>
        )}
        {[...up, ...(listing?.folders ?? [])].map(({ path, name }) => {
          const Icon = path === listing?.parent ? CornerLeftUp : Folder;
          return (
            <li key={path}>
              <button type="button" className={`${ROW_BUTTON} py-1.5!`} onClick={() => onGo(path)}>
                <Icon className="size-4 shrink-0 text-ink-faint" />
                <span className="min-w-0 truncate">{toShownLine(name)}</span>
              </button>
            </li>
          );
        })}
        {listing?.folders.length === 0 ? (
          <li className="px-3.5 py-2 text-ink-faint">{t('folders.none')}</li>
        ) : undefined}
      </ul>
      {listing?.isCut ? <p className="mt-1 text-sm text-ink-faint">{t('folders.cut')}</p> : undefined}
      {listing && canMake ? <NewFolder parent={listing.path} onMade={onGo} /> : undefined}
    </>
  );
}

function NewFolder({ parent, onMade }: { readonly parent: string; readonly onMade: (path: string) => void }) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const make = useAction(async () => {
    const made = await client.folders.create({ body: { parent, name } });
    await queries.invalidateQueries({ queryKey: ['folders'] });
    setName('');
    onMade(made.path);
  });
  return (
    <Form className="mt-3 flex flex-col gap-2" onSubmit={() => name !== '' && make.run()}>
      <div className="flex gap-2">
        <Input
          aria-label={t('folders.newName')}
          placeholder={t('folders.newName')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button
          type="submit"
          icon={<FolderPlus className="size-4" />}
          isBusy={make.isBusy}
          disabled={name === ''}
        >
          {t('folders.make')}
        </Button>
      </div>
      <ErrorNote issue={make.issue} />
    </Form>
  );
}
