/** What the product contains of others; a license is shown below its package. */
import '../i18n/machine-texts.ts';
import { licensesSchema } from '@crewagent/protocol/licenses';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '../i18n/use-translation.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

export default function LicensesDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({ queryKey: ['licenses'], queryFn: readLicenses, retry: false });
  return (
    <Dialog title={t('about.licenses')} description={t('about.licensesText')} onClose={onClose}>
      <ErrorNote issue={error} />
      {data || error ? undefined : <Skeleton className="h-64" />}
      <ul aria-label={t('about.licenses')} className="flex flex-col divide-y divide-line">
        {data?.map(({ name, version, license, text }) => (
          <li key={`${name}@${version}`}>
            <details>
              <summary className="flex min-h-9 cursor-pointer flex-wrap items-center gap-x-3 py-1.5">
                <span className="font-medium wrap-anywhere">{toShownLine(name)}</span>
                <span className="text-ink-faint">{toShownLine(version)}</span>
                <span className="ml-auto text-ink-soft">{toShownLine(license)}</span>
              </summary>
              <pre className="pb-3 text-sm whitespace-pre-wrap text-ink-soft">{toShownText(text)}</pre>
            </details>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

async function readLicenses() {
  const response = await fetch('/licenses.json');
  if (!response.ok) throw new Error(`licenses.json: ${response.status}`);
  return licensesSchema.parse(await response.json()).packages;
}
