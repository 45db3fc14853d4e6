/** Version, system check, a support file, and licenses. */
import '../i18n/machine-texts.ts';
import { CircleCheck, CircleX, Download, Info } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { saveResponse } from '../api/save-response.ts';
import { type Doctor, useDoctor, useSystem } from '../api/settings-queries.ts';
import { formatDateTime } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Facts } from '../ui/facts.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { SettingsPart } from './settings-part.tsx';

export function AboutSection() {
  const { t } = useTranslation();
  const client = useApi();
  const { data: system, error } = useSystem();
  const { data: doctor, error: doctorError } = useDoctor();
  const download = useAction(async () =>
    saveResponse(await client.system.diagnostics(), 'crewagent-diagnostics.json'),
  );
  return (
    <SettingsPart section="about">
      <div className="mt-5">
        <ErrorNote issue={error ?? doctorError} />
        {system === undefined && !error ? <Skeleton className="h-24" /> : undefined}
        {system ? (
          <Facts
            className="grid-cols-[auto_1fr] gap-x-6 gap-y-1.5"
            facts={[
              [t('about.version'), toShownLine(system.version)],
              [t('about.node'), toShownLine(system.node)],
              [t('about.platform'), toShownLine(system.platform)],
              [t('about.startedAt'), formatDateTime(system.startedAt)],
            ]}
          />
        ) : undefined}
      </div>
      <h3 className="mt-8 mb-2.5 text-lg font-semibold">{t('about.doctor')}</h3>
      {doctor ? <DoctorList doctor={doctor} /> : doctorError ? undefined : <Skeleton className="h-40" />}
      <h3 className="mt-8 text-lg font-semibold">{t('about.diagnostics')}</h3>
      <p className="mt-1 max-w-xl text-ink-faint">{t('about.diagnosticsText')}</p>
      <div className="mt-3 flex flex-col items-start gap-3">
        <Button
          icon={<Download className="size-4" />}
          isBusy={download.isBusy}
          onClick={() => download.run()}
        >
          {t('about.download')}
        </Button>
        <ErrorNote issue={download.issue} />
      </div>
      <Licenses />
    </SettingsPart>
  );
}

function Licenses() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <h3 className="mt-8 text-lg font-semibold">{t('about.licenses')}</h3>
      <p className="mt-1 max-w-xl text-ink-faint">{t('about.licensesText')}</p>
      <Button className="mt-3" onClick={() => setOpen(true)}>
        {t('about.showLicenses')}
      </Button>
      <Suspense>{isOpen ? <LicensesDialog onClose={() => setOpen(false)} /> : undefined}</Suspense>
    </>
  );
}

const LicensesDialog = lazy(() => import('./licenses-dialog.tsx'));

interface Point {
  readonly name: string;
  readonly text: string;
  /** `plain`: slower or simpler than possible, but not an error. */
  readonly state: 'ok' | 'bad' | 'plain';
}

/** System check: whether this machine has what runs need. */
function DoctorList({ doctor }: { readonly doctor: Doctor }) {
  const { t } = useTranslation();
  const { store, settings, projects, packages, runs, hasRipgrep, hasKernelLocks } = doctor;
  const held = (name: string, problem: string | undefined, text: string): Point =>
    problem === undefined ? { name, text, state: 'ok' } : { name, text: toShownLine(problem), state: 'bad' };
  const points: readonly Point[] = [
    held(t('about.points.store'), store.problem, toShownLine(store.place)),
    held(t('about.points.settings'), settings.problem, t('about.readable')),
    held(t('about.points.projects'), projects.problem, t('about.readable')),
    held(t('about.points.packages'), packages.problem, t('about.packages', { count: packages.count })),
    runs.problem === undefined && runs.damaged > 0
      ? { name: t('about.points.runs'), text: t('about.damaged', { count: runs.damaged }), state: 'bad' }
      : held(t('about.points.runs'), runs.problem, t('about.runs', { count: runs.count })),
    {
      name: t('about.points.search'),
      text: t(hasRipgrep ? 'about.ripgrep' : 'about.noRipgrep'),
      state: hasRipgrep ? 'ok' : 'plain',
    },
    {
      name: t('about.points.locks'),
      text: t(hasKernelLocks ? 'about.kernelLocks' : 'about.noKernelLocks'),
      state: hasKernelLocks ? 'ok' : 'plain',
    },
  ];
  return (
    <ul aria-label={t('about.doctor')} className="divide-y divide-line rounded-lg border">
      {points.map((point) => (
        <PointRow key={point.name} point={point} />
      ))}
    </ul>
  );
}

function PointRow({ point: { name, text, state } }: { readonly point: Point }) {
  const { t } = useTranslation();
  const { Icon, ink } = LOOKS[state];
  return (
    <li className="flex items-start gap-2.5 px-3.5 py-2.5">
      <Icon aria-label={t(`about.states.${state}`)} className={`mt-0.5 size-4 shrink-0 ${ink}`} />
      <span className="w-32 shrink-0 font-medium">{name}</span>
      <span className="min-w-0 text-ink-soft wrap-anywhere">{text}</span>
    </li>
  );
}

const LOOKS = {
  ok: { Icon: CircleCheck, ink: 'text-ok' },
  bad: { Icon: CircleX, ink: 'text-bad' },
  plain: { Icon: Info, ink: 'text-ink-faint' },
} as const;
