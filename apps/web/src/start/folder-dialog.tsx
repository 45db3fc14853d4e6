/** Chooses a folder of the machine that the server is on: by going there, by its path, or by making one. */
import { useQueryClient } from '@tanstack/react-query';
import { CornerLeftUp, Folder, FolderPlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFolders } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { Field } from '../ui/field.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Input } from '../ui/input.tsx';
import { type Action, useAction } from '../ui/use-action.ts';
import { ROW_BUTTON } from './section.tsx';

interface FolderDialogProps {
  readonly onClose: () => void;
  readonly onChoose: Action<[path: string]>;
}

export function FolderDialog({ onClose, onChoose }: FolderDialogProps) {
  const { t } = useTranslation();
  const [path, setPath] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const { data, error } = useFolders(path);
  const shown = typed ?? data?.path ?? '';
  const go = (to: string): void => {
    setPath(to);
    setTyped(undefined);
    onChoose.forget();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (shown !== '') onChoose.run(shown);
  };
  return (
    <Dialog
      isOpen
      title={t('folders.title')}
      description={t('folders.text')}
      closeLabel={t('action.close')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="primary"
            isBusy={onChoose.isBusy}
            disabled={shown === ''}
            onClick={() => onChoose.run(shown)}
          >
            {t('folders.choose')}
          </Button>
        </>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label={t('folders.path')}>
          {(ids) => (
            <Input
              {...ids}
              value={shown}
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <FaultNote fault={onChoose.fault ?? error?.message} />
        <div className="flex flex-wrap gap-1.5">
          {data?.roots.map((root) => (
            <Button key={root.path} size="sm" onClick={() => go(root.path)}>
              {toShownLine(root.name)}
            </Button>
          ))}
        </div>
      </form>
      <ul
        aria-label={t('folders.list')}
        className="mt-2 h-64 divide-y divide-line overflow-auto rounded-lg border bg-surface"
      >
        {data?.parent === undefined ? undefined : (
          <FolderRow isUp name={t('folders.up')} onOpen={() => go(data.parent ?? '')} />
        )}
        {data?.folders.map((folder) => (
          <FolderRow key={folder.path} name={toShownLine(folder.name)} onOpen={() => go(folder.path)} />
        ))}
      </ul>
      {data?.isCut ? <p className="mt-1 text-sm text-ink-faint">{t('folders.cut')}</p> : undefined}
      {data ? <NewFolder parent={data.path} onMade={go} /> : undefined}
    </Dialog>
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
      <FaultNote fault={make.fault} />
    </form>
  );
}
