/** The status of a run: label, icon and colour. */
import type { RunPhase } from '@crewagent/protocol/run';
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Gauge,
  Hourglass,
  MessageCircleQuestion,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, type Tone } from './badge.tsx';

/** The phases of a run, plus idle statuses that have a label of their own; chosen by `shownPhase` in `state/work-list`. */
export type ShownPhase =
  | RunPhase
  | 'Ready'
  | 'NotStarted'
  | 'Stopped'
  | 'CutOff'
  | 'Limit'
  | 'Problem'
  | 'NotConnected';

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
  Running: { tone: 'accent', icon: <CircleDashed className="spinning" /> },
  WaitingUser: { tone: 'warn', icon: <MessageCircleQuestion /> },
  Stopped: { tone: 'neutral', icon: <CirclePause /> },
  CutOff: { tone: 'interrupted', icon: <Unplug /> },
  Limit: { tone: 'limit', icon: <Gauge /> },
  Problem: { tone: 'bad', icon: <TriangleAlert /> },
  NotConnected: { tone: 'neutral', icon: <Unplug /> },
  NotStarted: { tone: 'neutral', icon: <Hourglass /> },
  Ready: { tone: 'neutral', icon: <Circle /> },
  Completed: { tone: 'ok', icon: <CircleCheck /> },
  Failed: { tone: 'bad', icon: <CircleX /> },
};
