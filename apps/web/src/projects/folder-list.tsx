/** Subfolders of a folder: parent, entries, and creating another. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { useQueryClient } from '@tanstack/react-query';
import { CornerLeftUp, Folder, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Input } from '../ui/forms/input.tsx';
import { ROW_BUTTON } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';

interface FolderListProps {
  /** Undefined while loading. */
  readonly listing: Awaited<ReturnType<ApiClient['folders']['list']>> | undefined;
  /** There is no such folder: the list stays empty. */
  readonly isMissing?: boolean;
  readonly onGo: (path: string) => void;
  readonly canMake: boolean;
}

export function FolderList({ listing, isMissing = false, onGo, canMake }: FolderListProps) {
  const { t } = useTranslation();
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
        {listing?.parent === undefined ? undefined : (
          <FolderRow isUp name={t('folders.up')} onOpen={() => onGo(listing.parent ?? '')} />
        )}
        {listing?.folders.map((folder) => (
          <FolderRow key={folder.path} name={toShownLine(folder.name)} onOpen={() => onGo(folder.path)} />
        ))}
        {listing?.folders.length === 0 ? (
          <li className="px-3.5 py-2 text-ink-faint">{t('folders.none')}</li>
        ) : undefined}
      </ul>
      {listing?.isCut ? <p className="mt-1 text-sm text-ink-faint">{t('folders.cut')}</p> : undefined}
      {listing && canMake ? <NewFolder parent={listing.path} onMade={onGo} /> : undefined}
    </>
  );
}

interface FolderRowProps {
  readonly name: string;
  readonly isUp?: boolean;
  readonly onOpen: () => void;
}

function FolderRow({ name, isUp = false, onOpen }: FolderRowProps) {
  const Icon = isUp ? CornerLeftUp : Folder;
  return (
    <li>
      <button type="button" className={`${ROW_BUTTON} py-1.5!`} onClick={onOpen}>
        <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
        <span className="min-w-0 truncate">{name}</span>
      </button>
    </li>
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
    <form
      className="mt-3 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== '') make.run();
      }}
    >
      <div className="flex gap-2">
        <Input
          aria-label={t('folders.newName')}
          placeholder={t('folders.newName')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button
          type="submit"
          icon={<FolderPlus aria-hidden="true" className="size-4" />}
          isBusy={make.isBusy}
          disabled={name === ''}
        >
          {t('folders.make')}
        </Button>
      </div>
      <ErrorNote issue={make.issue} />
    </form>
  );
}
