/** A run in one file: chosen or dropped, uploaded, decrypted, shown, and continued. Nothing of it is stored before that. */
import '../i18n/bundle-texts.ts';
import type { StagedBundle } from '@crewagent/protocol/api/bundles';
import { FileArchive, Lock, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { createUploadFetch } from '../api/upload-fetch.ts';
import { formatBytes } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useOpenedBundle } from '../navigation/opened-bundle.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toError } from '../ui/errors/error-texts.ts';
import { Form } from '../ui/forms/field.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { ContinueBundle } from './continue-bundle.tsx';
import { PassphraseField } from './export-bundle-dialog.tsx';
import { ShownBundle } from './shown-bundle.tsx';

export default function OpenBundleScreen() {
  const { t } = useTranslation();
  const { staged } = useOpenedBundle();
  const { share, issue } = useUpload();
  const shown = staged?.shown;
  return (
    <div className="h-full overflow-auto [scrollbar-gutter:stable] bg-canvas">
      <div className="page-column flex flex-col gap-6">
        {staged && shown ? (
          <>
            <ShownBundle name={staged.name} shown={shown} />
            <ContinueBundle bundleId={staged.bundleId} shown={shown} />
            <Another staged={staged} />
          </>
        ) : (
          <>
            <header>
              <h1 className="text-xl font-semibold">{t('bundles.title')}</h1>
              <p className="mt-1 max-w-xl text-ink-faint">{t('bundles.text')}</p>
            </header>
            <ErrorNote issue={issue} />
            {share === undefined ? undefined : <Uploading share={share} />}
            {staged ? <Unlock key={staged.bundleId} staged={staged} /> : undefined}
            {share === undefined && !staged ? <Chooser /> : undefined}
          </>
        )}
      </div>
    </div>
  );
}

/** What the server accepts. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Uploads the chosen file. `share`: from 0 to 1, undefined if none is on its way. */
function useUpload() {
  const { t } = useTranslation();
  const { bundles } = useApi();
  const { file } = useOpenedBundle();
  const [share, setShare] = useState<number>();
  const [issue, setIssue] = useState<Error>();
  const upload = async (body: File, signal: AbortSignal): Promise<StagedBundle> => {
    const { name, size } = body;
    if (size <= MAX_BYTES)
      return bundles.upload({ query: { name }, body }, { signal, fetch: createUploadFetch(setShare) });
    const sizes = { size: formatBytes(size), most: formatBytes(MAX_BYTES) };
    throw new Error(t('bundles.tooLarge', { name: toShownLine(name), ...sizes }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: one upload for each file
  useEffect(() => {
    if (!file) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    setIssue(undefined);
    setShare(0);
    upload(file, signal).then(
      (staged) => {
        setShare(undefined);
        useOpenedBundle.setState({ staged, file: undefined });
      },
      (error: unknown) => {
        // Another file was chosen, or the person went away: then it is uploaded again when they come back.
        if (signal.aborted) return;
        setShare(undefined);
        setIssue(toError(error));
        useOpenedBundle.setState({ file: undefined });
      },
    );
    return () => controller.abort();
  }, [file]);
  return { share, issue };
}

function Uploading({ share }: { readonly share: number }) {
  const { t } = useTranslation();
  const { file } = useOpenedBundle();
  const name = toShownLine(file?.name ?? '');
  const label = share < 1 ? t('bundles.uploading', { name }) : t('bundles.checking', { name });
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border bg-surface p-4">
      <p>{label}</p>
      <ProgressBar label={label} value={share} />
    </div>
  );
}

function Chooser() {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong bg-surface px-4 py-12 text-center">
      <FileArchive className="size-6 text-ink-faint" />
      <p className="text-ink-faint">{t('bundles.drop')}</p>
      <Button kind="primary" icon={<Upload className="size-4" />} onClick={() => chooser.current?.click()}>
        {t('bundles.choose')}
      </Button>
      <input
        ref={chooser}
        type="file"
        accept=".crewrun"
        className="hidden"
        tabIndex={-1}
        aria-label={t('bundles.choose')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) useOpenedBundle.setState({ file, staged: undefined });
          target.value = '';
        }}
      />
    </div>
  );
}

function Unlock({ staged: { bundleId, name } }: { readonly staged: StagedBundle }) {
  const { t } = useTranslation();
  const { bundles } = useApi();
  const [passphrase, setPassphrase] = useState('');
  const unlock = useAction(async () => {
    useOpenedBundle.setState({ staged: await bundles.unlock({ bundleId, body: { passphrase } }) });
  });
  return (
    <Form
      onSubmit={() => passphrase !== '' && unlock.run()}
      className="flex max-w-xl flex-col gap-3 rounded-lg border bg-surface p-4"
    >
      <h2 className="flex items-center gap-2 font-semibold wrap-anywhere">
        <Lock className="size-4 shrink-0 text-ink-faint" />
        {t('bundles.locked', { name: toShownLine(name) })}
      </h2>
      <p className="text-ink-soft">{t('bundles.lockedText')}</p>
      <PassphraseField label={t('bundles.export.passphrase')} value={passphrase} onChange={setPassphrase} />
      <ErrorNote issue={unlock.issue} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" disabled={passphrase === ''} isBusy={unlock.isBusy}>
          {t('bundles.unlock')}
        </Button>
        <Another staged={{ bundleId, name }} />
      </div>
    </Form>
  );
}

function Another({ staged: { bundleId } }: { readonly staged: StagedBundle }) {
  const { t } = useTranslation();
  const { bundles } = useApi();
  return (
    <Button
      kind="quiet"
      className="self-start"
      onClick={() => {
        // If that fails, the server discards it when it closes.
        void bundles.discard({ bundleId }).catch(() => undefined);
        useOpenedBundle.setState({ file: undefined, staged: undefined });
      }}
    >
      {t('bundles.another')}
    </Button>
  );
}
