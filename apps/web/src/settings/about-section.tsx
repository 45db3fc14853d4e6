/** Version, system check, and a support file. */
import { Download } from 'lucide-react';
import { useApi } from '../api/api-context.tsx';
import { saveResponse } from '../api/save-response.ts';
import { useDoctor, useSystem } from '../api/settings-queries.ts';
import { formatDateTime } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { DoctorList } from './doctor-list.tsx';
import { SettingsPart } from './settings-part.tsx';

export function AboutSection() {
  const { t } = useTranslation();
  const client = useApi();
  const { data: system, error } = useSystem();
  const { data: doctor, error: doctorError } = useDoctor();
  const download = useAction(async () =>
    saveResponse(await client.system.diagnostics(), 'crewagent-diagnostics.json'),
  );
  const facts = system
    ? ([
        [t('about.version'), toShownLine(system.version)],
        [t('about.node'), toShownLine(system.node)],
        [t('about.platform'), toShownLine(system.platform)],
        [t('about.startedAt'), formatDateTime(system.startedAt)],
      ] as const)
    : [];
  return (
    <SettingsPart section="about">
      <div className="mt-5">
        <ErrorNote issue={error ?? doctorError} />
        {system === undefined && !error ? <Skeleton className="h-24" /> : undefined}
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-faint">{name}</dt>
              <dd className="tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <h3 className="mt-8 mb-2.5 text-lg font-semibold">{t('about.doctor')}</h3>
      {doctor ? <DoctorList doctor={doctor} /> : doctorError ? undefined : <Skeleton className="h-40" />}
      <h3 className="mt-8 text-lg font-semibold">{t('about.diagnostics')}</h3>
      <p className="mt-1 max-w-xl text-ink-faint">{t('about.diagnosticsText')}</p>
      <div className="mt-3 flex flex-col items-start gap-3">
        <Button
          icon={<Download aria-hidden="true" className="size-4" />}
          isBusy={download.isBusy}
          onClick={() => download.run()}
        >
          {t('about.download')}
        </Button>
        <ErrorNote issue={download.issue} />
      </div>
    </SettingsPart>
  );
}
