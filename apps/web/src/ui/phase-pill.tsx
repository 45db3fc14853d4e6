/** Where a run is: a word, a picture, and a colour. */
import type { RunPhase } from '@crewagent/protocol/run';
import { Circle, CircleCheck, CircleDashed, CircleX, MessageCircleQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, type Tone } from './badge.tsx';

interface PhasePillProps {
  readonly phase: RunPhase;
  /** Nothing is asked for: one may say something, or not. */
  readonly isReady?: boolean;
}

export function PhasePill({ phase, isReady = false }: PhasePillProps) {
  const { t } = useTranslation();
  if (isReady) return <Badge icon={<Circle aria-hidden="true" />}>{t('conversation.ready')}</Badge>;
  const { tone, icon } = PHASES[phase];
  return (
    <Badge tone={tone} icon={icon}>
      {t(`phase.${phase}`)}
    </Badge>
  );
}

const PHASES: Readonly<Record<RunPhase, { readonly tone: Tone; readonly icon: ReactNode }>> = {
  Running: { tone: 'accent', icon: <CircleDashed aria-hidden="true" className="spinning" /> },
  WaitingUser: { tone: 'warn', icon: <MessageCircleQuestion aria-hidden="true" /> },
  Completed: { tone: 'ok', icon: <CircleCheck aria-hidden="true" /> },
  Failed: { tone: 'bad', icon: <CircleX aria-hidden="true" /> },
};
