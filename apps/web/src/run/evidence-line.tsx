/** How far a run is proved, in one line: the colour and the icon say whether to trust it, the words how far. */
import type { EvidenceSheet, EvidenceVisit } from '@crewagent/protocol/evidence';
import { Shield, ShieldAlert, ShieldCheck, ShieldX } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import type { Tone } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';

type Totals = Pick<EvidenceSheet, 'totals' | 'isProved' | 'waivers' | 'missing'>;

export function EvidenceLine({ sheet }: { readonly sheet: Totals }) {
  const { t } = useTranslation();
  const { nodes, proved, ...others } = sheet.totals;
  const { Icon, ink } = LOOKS[toneOf(sheet)];
  const parts = [
    t('evidence.proved', { proved, count: nodes }),
    ...(['carried', 'claimed', 'waived', 'missing', 'nothing', 'open'] as const)
      .map((kind) => ({ kind, count: others[kind] ?? 0 }))
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => t(`evidence.${kind}`, { count })),
  ];
  return (
    <p className={classNames('flex min-w-0 items-start gap-2 font-medium', ink)}>
      <Icon className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{parts.join(' · ')}</span>
    </p>
  );
}

/** Whether any step declares something to prove: packages without checks have no evidence to speak of. */
export function hasProof({ totals, waivers, missing }: Totals): boolean {
  const { proved, claimed, waived, missing: incomplete, carried = 0 } = totals;
  return proved + carried + claimed + waived + incomplete + waivers.length + missing.length > 0;
}

/** What is missing weighs more than what was accepted; neither is hidden by the steps that are proved. */
function toneOf({ isProved, missing, waivers, totals }: Totals): keyof typeof LOOKS {
  if (isProved) return 'proved';
  if (missing.length > 0) return 'missing';
  return waivers.length + totals.claimed > 0 ? 'waived' : 'open';
}

/** How each outcome of a visit is shown. */
export const OUTCOME_TONES: Readonly<Record<EvidenceVisit['outcome'], Tone>> = {
  proved: 'ok',
  claimed: 'warn',
  waived: 'warn',
  missing: 'bad',
  nothing: 'neutral',
  open: 'accent',
  carried: 'neutral',
};

const LOOKS = {
  proved: { Icon: ShieldCheck, ink: 'text-ok' },
  waived: { Icon: ShieldAlert, ink: 'text-warn' },
  missing: { Icon: ShieldX, ink: 'text-bad' },
  open: { Icon: Shield, ink: 'text-ink-soft' },
} as const;
