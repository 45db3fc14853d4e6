/** Models that run inside CrewAgent: which ones fit, a GGUF file of this computer or of an address, and its download. */
import '../i18n/settings-texts.ts';
import { describeField } from '@crewagent/protocol/describe-fields';
import { nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink, HardDrive } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
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
import { Form } from '../ui/forms/field.tsx';
import { FormField, useForm } from '../ui/forms/form-field.tsx';
import { parseForm } from '../ui/forms/typed-values.ts';
import { Note } from '../ui/note.tsx';
import { ConfirmButton } from '../ui/overlays/alert-dialog.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';

type Source = { readonly file: string } | { readonly url: string; readonly sha256: string };

interface BuiltinModelsProps {
  /** It was opened by a button that is gone. */
  readonly takesFocus?: boolean;
}

export default function BuiltinModels({ takesFocus = false }: BuiltinModelsProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  const { data, error } = useBuiltinModels();
  const show = (shown: Builtin): void => {
    queries.setQueryData(SETTINGS_KEYS.builtinModels, shown);
  };
  const install = useAction(async (body: Source) => show(await client.models.installBuiltin({ body })));
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
        <h3 id={titleId} ref={heading} tabIndex={-1} className="font-semibold outline-none">
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
            <li key={model.name} className="rounded-lg border bg-surface p-3">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                {model.title}
                {model.isBest ? <Badge tone="accent">{t('builtin.best')}</Badge> : undefined}
              </p>
              <p className="mt-0.5 text-sm text-ink-faint">
                {[
                  t('builtin.size', { size: formatBytes(model.bytes) }),
                  t('builtin.memory', { size: `${model.memoryGiB}\u00a0GB` }),
                  t('builtin.licence', { licence: model.licence }),
                ].join(' · ')}
              </p>
              <a
                href={model.page}
                target="_blank"
                rel="noopener noreferrer"
                aria-label={t('builtin.findNamed', { title: model.title })}
                className="mt-1 inline-flex items-center gap-1 text-sm text-accent-text underline"
              >
                {t('builtin.find')}
                <ExternalLink className="size-3.5" />
              </a>
            </li>
          ))}
        </ul>
      ) : undefined}
      {data ? (
        <AddModel
          isBusy={install.isBusy}
          isDisabled={isInstalling(data)}
          onAdd={(source) => install.run(source)}
        />
      ) : undefined}
      {data && isInstalling(data) && installation ? (
        <Progress
          installation={installation}
          isBusy={remove.isBusy}
          onCancel={() => remove.run(installation.name)}
        />
      ) : undefined}
      {data?.installed.map((model) => (
        <InstalledRow
          key={model.name}
          model={model}
          isBusy={remove.isBusy}
          onRemove={() => remove.run(model.name)}
        />
      ))}
    </section>
  );
}

interface InstalledRowProps {
  readonly model: Builtin['installed'][number];
  readonly isBusy: boolean;
  readonly onRemove: () => void;
}

function InstalledRow({ model: { name, bytes }, isBusy, onRemove }: InstalledRowProps) {
  const { t } = useTranslation();
  const title = toShownLine(name);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p className="flex min-w-48 grow basis-0 flex-wrap items-center gap-2">
        {title}
        <Badge tone="ok">{t('builtin.installed')}</Badge>
      </p>
      <ConfirmButton
        label={t('action.remove')}
        name={t('builtin.removeNamed', { title })}
        title={t('builtin.removeTitle', { title })}
        isBusy={isBusy}
        onConfirm={onRemove}
      >
        {t('builtin.removeText', { size: formatBytes(bytes ?? 0) })}
      </ConfirmButton>
    </div>
  );
}

interface ProgressProps {
  readonly installation: NonNullable<Builtin['installation']>;
  readonly isBusy: boolean;
  /** What was downloaded is kept. */
  readonly onCancel: () => void;
}

function Progress({ installation, isBusy, onCancel }: ProgressProps) {
  const { t } = useTranslation();
  const { status, receivedBytes, totalBytes = 0 } = installation;
  const sizes = { received: formatBytes(receivedBytes), total: formatBytes(totalBytes) };
  return (
    <div className="flex flex-col items-start gap-1.5">
      <ProgressBar label={t('builtin.progress')} value={totalBytes === 0 ? 0 : receivedBytes / totalBytes} />
      <p className="text-sm text-ink-soft tabular-nums" role="status">
        {status === 'runtime' ? t('builtin.runtime') : t('builtin.downloading', sizes)}
      </p>
      <Button size="sm" isBusy={isBusy} onClick={onCancel}>
        {t('action.cancel')}
      </Button>
    </div>
  );
}

interface AddModelProps {
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onAdd: (source: Source) => void;
}

const fileSchema = z.strictObject({ place: nonEmptySchema });
const FILE = describeField(fileSchema);
const ADDRESS = describeField(z.extend(fileSchema, { sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/i)) }));

/** A GGUF file that is on this computer already, and stays where it is, or an address with a checksum. */
function AddModel({ isBusy, isDisabled, onAdd }: AddModelProps) {
  const { t } = useTranslation();
  const form = useForm(() => ({ place: '', sha256: '' }));
  const isAddress = /^\s*https?:/i.test(String(form.values.place));
  const shape = isAddress ? ADDRESS : FILE;
  const parsed = parseForm<{ place: string; sha256?: string }>(shape, form.values);
  const add = (): void => {
    if (!parsed.ok) return;
    const { place, sha256 } = parsed.value;
    onAdd(sha256 === undefined ? { file: place } : { url: place, sha256 });
  };
  return (
    <Form className="flex flex-col items-start gap-3" onSubmit={add}>
      {Object.keys(shape.fields ?? {}).map((path) => (
        <FormField
          key={path}
          {...{ form, shape, path }}
          texts="builtin"
          placeholder={
            path === 'place' ? t('modelForm.example', { value: '/home/me/models/model.gguf' }) : undefined
          }
        />
      ))}
      <Button
        type="submit"
        icon={<HardDrive className="size-3.5" />}
        isBusy={isBusy}
        disabled={isDisabled || !parsed.ok}
      >
        {t(isAddress ? 'action.download' : 'builtin.add')}
      </Button>
    </Form>
  );
}
