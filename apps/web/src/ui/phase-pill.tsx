/** The status of a run: label, icon and colour. */
import type { RunPhase } from '@crewagent/protocol/run';
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Gauge,
  MessageCircleQuestion,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, type Tone } from './badge.tsx';

/** The phases of a run, plus idle statuses that have a label of their own; chosen by `shownPhase` in `state/work-list`. */
export type ShownPhase = RunPhase | 'Ready' | 'Stopped' | 'CutOff' | 'Limit' | 'Problem' | 'NotConnected';

export function PhasePill({ phase }: { readonly phase: ShownPhase }) {
  const { t } = useTranslation();
  const { tone, icon } = PHASES[phase];
  return (
    <Badge tone={tone} icon={icon}>
      {t(`phase.${phase}`)}
    </Badge>
  );
}

const PHASES: Readonly<Record<ShownPhase, { readonly tone: Tone; readonly icon: ReactNode }>> = {
  Running: { tone: 'accent', icon: <CircleDashed aria-hidden="true" className="spinning" /> },
  WaitingUser: { tone: 'warn', icon: <MessageCircleQuestion aria-hidden="true" /> },
  Stopped: { tone: 'neutral', icon: <CirclePause aria-hidden="true" /> },
  CutOff: { tone: 'interrupted', icon: <Unplug aria-hidden="true" /> },
  Limit: { tone: 'limit', icon: <Gauge aria-hidden="true" /> },
  Problem: { tone: 'bad', icon: <TriangleAlert aria-hidden="true" /> },
  NotConnected: { tone: 'neutral', icon: <Unplug aria-hidden="true" /> },
  Ready: { tone: 'neutral', icon: <Circle aria-hidden="true" /> },
  Completed: { tone: 'ok', icon: <CircleCheck aria-hidden="true" /> },
  Failed: { tone: 'bad', icon: <CircleX aria-hidden="true" /> },
};
