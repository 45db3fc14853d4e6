/** Findings of a validation: errors first, then warnings, each with its location and fix. */
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { ValidationReport } from '../api/package-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';

type Report = Pick<ValidationReport, 'errors' | 'warnings'>;

export function Findings({ report: { errors, warnings } }: { readonly report: Report }) {
  const { t } = useTranslation();
  return (
    <section className="flex flex-col gap-4">
      <h2 className="font-semibold">{t('packages.validation')}</h2>
      {errors.length + warnings.length === 0 ? (
        <p className="-mt-2 flex items-center gap-2 text-ok">
          <CircleCheck aria-hidden="true" className="size-4" />
          {t('packages.noFindings')}
        </p>
      ) : undefined}
      <FindingGroup title={t('packages.errors', { count: errors.length })} findings={errors} isError />
      <FindingGroup title={t('packages.warnings', { count: warnings.length })} findings={warnings} />
    </section>
  );
}

interface FindingGroupProps {
  readonly title: string;
  readonly findings: readonly Diagnostic[];
  readonly isError?: boolean;
}

function FindingGroup({ title, findings, isError = false }: FindingGroupProps) {
  if (findings.length === 0) return undefined;
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <div>
      <h3 className={`mb-1.5 flex items-center gap-1.5 font-medium ${isError ? 'text-bad' : 'text-warn'}`}>
        <Icon aria-hidden="true" className="size-4" />
        {title}
      </h3>
      <ul aria-label={title} className="divide-y divide-line rounded-lg border">
        {findings.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are immutable
          <FindingRow key={index} finding={finding} />
        ))}
      </ul>
    </div>
  );
}

function FindingRow({ finding }: { readonly finding: Diagnostic }) {
  const { t } = useTranslation();
  const { code, file, pointer, line, message, fix } = finding;
  const place = [file, line === undefined ? undefined : `:${line}`, pointer ? ` ${pointer}` : undefined];
  return (
    <li className="flex flex-col gap-1 px-3 py-2.5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <code className="min-w-0 grow font-mono text-sm text-ink-soft wrap-anywhere">
          {toShownLine(place.filter(Boolean).join(''))}
        </code>
        <span title={code}>
          <Badge>{t(`finding.${code}`)}</Badge>
        </span>
      </p>
      <p lang="en" className="wrap-anywhere">
        {toShownText(message)}
      </p>
      <p className="text-sm text-ink-soft wrap-anywhere">
        <span className="font-medium">{t('packages.fix')}</span> <span lang="en">{toShownText(fix)}</span>
      </p>
    </li>
  );
}
