/** What a verified run in one file holds: who signed it, what was verified, its steps, packages and files. */
import '../i18n/bundle-texts.ts';
import type { ShownBundle as Shown } from '@crewagent/protocol/api/bundles';
import { CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes, formatDateTime } from '../i18n/format.ts';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { EvidenceLine, hasProof, OUTCOME_TONES } from '../run/evidence-line.tsx';
import { Badge } from '../ui/badge.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface ShownBundleProps {
  /** Of the file. */
  readonly name: string;
  readonly shown: Shown;
}

export function ShownBundle({ name, shown }: ShownBundleProps) {
  const { t } = useTranslation();
  const { work, bytes, runtime, isEncrypted } = shown;
  const about = t('bundles.about', {
    phase: t(`phase.${work.phase}`),
    model: toModelName(work.model, t),
    when: formatDateTime(work.updatedAt),
    size: formatBytes(bytes),
    version: toShownLine(runtime),
  });
  return (
    <>
      <header>
        <p className="font-mono text-sm text-ink-faint wrap-anywhere">{toShownLine(name)}</p>
        <h1 className="mt-1 text-xl font-semibold wrap-anywhere">{toShownLine(work.title)}</h1>
        <p className="mt-1 text-ink-faint wrap-anywhere">
          {about}
          {isEncrypted ? ` · ${t('bundles.encrypted')}` : ''}
        </p>
      </header>
      <Part title={t('bundles.holds')}>
        <FactLines shown={shown} />
      </Part>
      <Part title={t('bundles.story')}>
        {shown.runs.length === 0 ? <p className="text-ink-faint">{t('bundles.noSteps')}</p> : undefined}
        {shown.runs.map((run) => (
          <Steps key={run.workId} run={run} isNamed={shown.runs.length > 1} />
        ))}
      </Part>
      <div className="grid gap-6 sm:grid-cols-2">
        <Part title={t('bundles.packages')}>
          <Packages packages={shown.packages} />
        </Part>
        <Part title={t('bundles.files')}>
          <Files shown={shown} />
        </Part>
      </div>
    </>
  );
}

export function toModelName(name: string, t: Translation['t']): string {
  return name === 'rehearsal' ? t('status.rehearsal') : toShownLine(name);
}

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="min-w-0 rounded-lg border bg-surface p-4">
      <h2 className="mb-2 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

type Tone = 'ok' | 'unknown' | 'bad';

/** A sentence for each fact. */
function FactLines({ shown }: { readonly shown: Shown }) {
  const { t } = useTranslation();
  const { work, alsoSigned, requests } = shown;
  const { proved, unproved, unknown } = requests;
  const turns = unproved.slice(0, MAX_TURNS).map(({ turn }) => turn);
  const lines: (readonly [Tone, string] | false)[] = [
    describeSigner(shown, t),
    alsoSigned.length > 0 && [
      'ok',
      t('bundles.facts.also', { names: alsoSigned.slice(0, MAX_NAMES).map(toShownLine).join(', ') }),
    ],
    ['ok', t('bundles.facts.whole')],
    ['ok', t('bundles.facts.chain', { count: work.events })],
    proved > 0 && ['ok', t('bundles.facts.proved', { count: proved })],
    unproved.length > 0 && [
      'bad',
      t('bundles.facts.unproved', {
        count: unproved.length,
        turns: turns.join(', ') + (unproved.length > turns.length ? ', …' : ''),
      }),
    ],
    unknown > 0 && ['unknown', t('bundles.facts.unknown', { count: unknown })],
  ];
  return (
    <ul className="flex flex-col gap-1.5">
      {lines.map((line) => {
        if (!line) return undefined;
        const [tone, text] = line;
        const { Icon, ink } = TONES[tone];
        return (
          <li key={text} className="flex items-start gap-2">
            <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} aria-hidden="true" />
            <span className="min-w-0 wrap-anywhere">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

const MAX_TURNS = 10;
const MAX_NAMES = 3;

const TONES = {
  ok: { Icon: CircleCheck, ink: 'text-ok' },
  unknown: { Icon: CircleHelp, ink: 'text-ink-faint' },
  bad: { Icon: TriangleAlert, ink: 'text-warn' },
} as const;

const SIGNER_TONES: Readonly<Record<Shown['signer']['status'], Tone>> = {
  trusted: 'ok',
  known: 'ok',
  new: 'unknown',
  unsigned: 'unknown',
  missing: 'bad',
  changed: 'bad',
};

function describeSigner({ signer }: Shown, t: Translation['t']): readonly [Tone, string] {
  const { status, fingerprint = '', name = '', before = '' } = signer;
  const params = { fingerprint, before, name: toShownLine(name) };
  return [SIGNER_TONES[status], t(`bundles.facts.${status}`, params)];
}

interface StepsProps {
  readonly run: Shown['runs'][number];
  readonly isNamed: boolean;
}

function Steps({ run: { title, evidence }, isNamed }: StepsProps) {
  const { t } = useTranslation();
  return (
    <div className="not-first:mt-4">
      {isNamed ? <h3 className="mb-1 font-medium wrap-anywhere">{toShownLine(title)}</h3> : undefined}
      {hasProof(evidence) ? (
        <div className="mb-2 text-sm">
          <EvidenceLine sheet={evidence} />
        </div>
      ) : undefined}
      {evidence.visits.length === 0 ? (
        <p className="text-ink-faint">{t('bundles.noSteps')}</p>
      ) : (
        <ol className="flex list-decimal flex-col gap-1 ps-7">
          {evidence.visits.map((visit) => (
            <li key={`${visit.nodeId} ${visit.visit}`} className="ps-1 marker:text-ink-faint">
              <span className="wrap-anywhere">{toShownLine(visit.title || visit.nodeId)}</span>{' '}
              <Badge tone={OUTCOME_TONES[visit.outcome]}>{t(`bundles.outcome.${visit.outcome}`)}</Badge>
              {visit.decision?.reason ? (
                <span className="block text-sm text-ink-faint wrap-anywhere">
                  → {toShownLine(visit.decision.label ?? visit.decision.to)}:{' '}
                  {toShownLine(visit.decision.reason)}
                </span>
              ) : undefined}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Packages({ packages }: Pick<Shown, 'packages'>) {
  const { t } = useTranslation();
  if (packages.length === 0) return <p className="text-ink-faint">{t('bundles.noFiles')}</p>;
  return (
    <ul className="flex flex-col gap-1.5">
      {packages.map(({ hash, name, version, isInside, isInstalled }) => (
        <li key={hash} className="wrap-anywhere">
          <span className="font-medium">{toShownLine(name)}</span> {toShownLine(version)}{' '}
          <span className="font-mono text-sm text-ink-faint" title={hash}>
            {hash.slice(0, 12)}
          </span>
          <span className={`block text-sm ${isInside || isInstalled ? 'text-ink-faint' : 'text-bad'}`}>
            {t(isInstalled ? 'bundles.installed' : isInside ? 'bundles.inside' : 'bundles.missing')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Files({ shown: { changed, deleted, others } }: { readonly shown: Shown }) {
  const { t } = useTranslation();
  const lines = [
    ...changed.map(({ path, bytes }) => ({ path, note: formatBytes(bytes) })),
    ...deleted.map((path) => ({ path, note: t('bundles.removed') })),
  ];
  return (
    <>
      {lines.length === 0 ? <p className="text-ink-faint">{t('bundles.noFiles')}</p> : undefined}
      <PathList paths={lines} />
      {others > 0 ? <p className="text-ink-faint">{t('bundles.others', { count: others })}</p> : undefined}
    </>
  );
}

const MAX_PATHS = 50;

interface PathListProps {
  readonly paths: readonly { readonly path: string; readonly note?: string }[];
}

export function PathList({ paths }: PathListProps) {
  const { t } = useTranslation();
  const rest = paths.length - MAX_PATHS;
  return (
    <ul className="flex flex-col gap-0.5">
      {paths.slice(0, MAX_PATHS).map(({ path, note }) => (
        <li key={path} className="flex items-baseline justify-between gap-3">
          <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(path)}</bdi>
          {note === undefined ? undefined : (
            <span className="shrink-0 text-sm text-ink-faint tabular-nums">{note}</span>
          )}
        </li>
      ))}
      {rest > 0 ? (
        <li className="text-sm text-ink-faint">{t('bundles.more', { count: rest })}</li>
      ) : undefined}
    </ul>
  );
}
