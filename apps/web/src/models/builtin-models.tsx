/** Models that run inside CrewAgent: requirements before the download, its progress, and a user's own GGUF file. */
import { useQueryClient } from '@tanstack/react-query';
import { Download, HardDrive } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import {
  type BuiltinModels as Builtin,
  forgetModels,
  isInstalling,
  SETTINGS_KEYS,
  useBuiltinModels,
} from '../api/settings-queries.ts';
import { formatBytes } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Note } from '../ui/note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';

type Request = { readonly name: string } | { readonly file: string };
type Recommended = Builtin['recommended'][number];

export function BuiltinModels() {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const titleId = useId();
  const { data, error } = useBuiltinModels();
  const show = (shown: Builtin): void => {
    queries.setQueryData(SETTINGS_KEYS.builtinModels, shown);
  };
  const install = useAction(async (body: Request) => show(await client.models.installBuiltin({ body })));
  const remove = useAction(async (name: string) => {
    show(await client.models.removeBuiltin({ name }));
    await forgetModels(queries);
  });
  const isDone = data?.installation?.status === 'done';
  useEffect(() => {
    if (isDone) void forgetModels(queries);
  }, [isDone, queries]);
  const { installation } = data ?? {};
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-3">
      <div>
        <h3 id={titleId} className="font-semibold">
          {t('builtin.title')}
        </h3>
        <p className="mt-0.5 text-sm text-ink-soft">{t('builtin.text')}</p>
      </div>
      <ErrorNote issue={error ?? install.issue ?? remove.issue} />
      {installation?.status === 'failed' ? (
        <Note level="error" title={t('builtin.failed', { name: installation.name })}>
          {toShownLine(installation.message ?? '')}
        </Note>
      ) : undefined}
      {data === undefined && !error ? <Skeleton className="h-28" /> : undefined}
      {data ? (
        <ul aria-label={t('builtin.list')} className="flex flex-col gap-2">
          {data.recommended.map((model) => (
            <RecommendedRow
              key={model.name}
              model={model}
              shown={data}
              isBusy={install.isBusy || remove.isBusy}
              onInstall={() => install.run({ name: model.name })}
              onRemove={() => remove.run(model.name)}
            />
          ))}
        </ul>
      ) : undefined}
      {data ? (
        <OwnFile
          isBusy={install.isBusy}
          isDisabled={isInstalling(data)}
          onAdd={(file) => install.run({ file })}
        />
      ) : undefined}
    </section>
  );
}

interface RecommendedRowProps {
  readonly model: Recommended;
  readonly shown: Builtin;
  readonly isBusy: boolean;
  readonly onInstall: () => void;
  /** Also cancels, which keeps what was downloaded. */
  readonly onRemove: () => void;
}

function RecommendedRow({ model, shown, isBusy, onInstall, onRemove }: RecommendedRowProps) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const { name, title, bytes, licence, memoryGiB, host, isBest, partialBytes } = model;
  const isInstalled = shown.installed.some((installed) => installed.name === name);
  const isUnderWay = isInstalling(shown) && shown.installation?.name === name;
  const facts = [
    t('builtin.size', { size: formatBytes(bytes) }),
    t('builtin.memory', { size: `${memoryGiB}\u00a0GB` }),
    t('builtin.licence', { licence }),
    t('builtin.from', { host }),
  ];
  return (
    <li className="flex flex-col gap-2 rounded-lg border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 grow basis-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            {title}
            {isBest ? <Badge tone="accent">{t('builtin.best')}</Badge> : undefined}
            {isInstalled ? <Badge tone="ok">{t('builtin.installed')}</Badge> : undefined}
          </p>
          <p className="mt-0.5 text-sm text-ink-faint">{facts.join(' · ')}</p>
        </div>
        {isUnderWay ? (
          <Button size="sm" isBusy={isBusy} onClick={onRemove}>
            {t('action.cancel')}
          </Button>
        ) : isInstalled ? (
          <Button size="sm" isBusy={isBusy} onClick={() => setAsking(true)}>
            {t('builtin.remove')}
          </Button>
        ) : (
          <>
            {partialBytes === undefined ? undefined : (
              <Button size="sm" kind="quiet" isBusy={isBusy} onClick={onRemove}>
                {t('builtin.discard')}
              </Button>
            )}
            <Button
              size="sm"
              icon={<Download aria-hidden="true" className="size-3.5" />}
              isBusy={isBusy}
              disabled={isInstalling(shown)}
              aria-label={t(partialBytes === undefined ? 'builtin.installNamed' : 'builtin.resumeNamed', {
                title,
              })}
              onClick={onInstall}
            >
              {partialBytes === undefined
                ? t('builtin.install')
                : t('builtin.resume', { size: formatBytes(partialBytes) })}
            </Button>
          </>
        )}
      </div>
      {isUnderWay && shown.installation ? (
        <Progress installation={shown.installation} bytes={bytes} />
      ) : undefined}
      <AlertDialog
        isOpen={isAsking}
        title={t('builtin.removeTitle', { title })}
        cancelLabel={t('action.cancel')}
        confirmLabel={t('builtin.remove')}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onRemove();
        }}
      >
        {t('builtin.removeText', { size: formatBytes(bytes) })}
      </AlertDialog>
    </li>
  );
}

interface ProgressProps {
  readonly installation: NonNullable<Builtin['installation']>;
  /** About how large it is, as long as the server has not said it. */
  readonly bytes: number;
}

function Progress({ installation, bytes }: ProgressProps) {
  const { t } = useTranslation();
  const { status, receivedBytes, totalBytes = bytes } = installation;
  const sizes = { received: formatBytes(receivedBytes), total: formatBytes(totalBytes) };
  return (
    <div className="flex flex-col gap-1.5">
      <ProgressBar label={t('builtin.progress')} value={receivedBytes / totalBytes} />
      <p className="text-sm text-ink-soft tabular-nums" role="status">
        {status === 'runtime' ? t('builtin.runtime') : t('builtin.downloading', sizes)}
      </p>
    </div>
  );
}

interface OwnFileProps {
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onAdd: (file: string) => void;
}

/** A GGUF file that is on this computer already; it stays where it is. */
function OwnFile({ isBusy, isDisabled, onAdd }: OwnFileProps) {
  const { t } = useTranslation();
  const [file, setFile] = useState('');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (file.trim() !== '') onAdd(file.trim());
      }}
    >
      <Field label={t('builtin.own')} hint={t('builtin.ownHint')}>
        {(ids) => (
          <div className="flex flex-wrap gap-2">
            <div className="min-w-48 grow basis-0">
              <Input
                {...ids}
                value={file}
                spellCheck={false}
                autoComplete="off"
                placeholder={t('modelForm.example', { value: '/home/me/models/model.gguf' })}
                onChange={(event) => setFile(event.target.value)}
              />
            </div>
            <Button
              type="submit"
              icon={<HardDrive aria-hidden="true" className="size-3.5" />}
              isBusy={isBusy}
              disabled={isDisabled || file.trim() === ''}
            >
              {t('builtin.add')}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
