/** System check: whether this machine has what runs need. */
import { CircleCheck, CircleX, Info } from 'lucide-react';
import type { Doctor } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

interface Point {
  readonly name: string;
  readonly text: string;
  /** `plain`: slower or simpler than possible, but not an error. */
  readonly state: 'ok' | 'bad' | 'plain';
}

export function DoctorList({ doctor }: { readonly doctor: Doctor }) {
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
