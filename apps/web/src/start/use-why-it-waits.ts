/** Why a Work waits, in one sentence: its question, or where it stopped and how many files it had written. */
import { toStatus } from '@crewagent/protocol/status';
import { joinSentences, useTranslation } from '../i18n/use-translation.ts';
import { askedOf, type WorkPosition } from '../state/work-list.ts';
import { useProblemTexts } from '../ui/errors/error-texts.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { StopPosition } from './stop-position.ts';

export function useWhyItWaits(
  standing: Pick<WorkPosition, 'phase' | 'reason'>,
  stop: StopPosition | undefined,
): string {
  const { t } = useTranslation();
  const { reason } = standing;
  const { kind } = toStatus(standing);
  const problem = useProblemTexts({ code: reason?.code ?? '', details: reason?.details });
  const where = stop
    ? t('inbox.where', {
        at: t('inbox.at', { step: toShownLine(stop.title) }),
        files: stop.files === 0 ? t('inbox.noFiles') : t('inbox.files', { count: stop.files }),
      })
    : undefined;
  if (stop?.question !== undefined) return t('inbox.asks', { question: toShownLine(stop.question) });
  if (stop?.change !== undefined)
    return t('inbox.wantsToChange', { path: toShownLine(stop.change).replace(/^@project\//, '') });
  const { path, prompt } = askedOf(standing);
  if (prompt !== undefined) return t('inbox.asks', { question: toShownLine(prompt) });
  if (path !== undefined)
    return t('inbox.wantsToChange', { path: toShownLine(path).replace(/^@project\//, '') });
  if (kind === 'question' || kind === 'approval') return t('inbox.needsAnswer');
  if (kind === 'reply')
    return stop ? t('inbox.needsWordAt', { step: toShownLine(stop.title) }) : t('inbox.needsWord');
  if (kind === 'interrupted') return where ?? t('inbox.cutOff');
  // Both would say that it stopped.
  if (kind === 'stopped' && where !== undefined) return where;
  const what = problem.isKnown ? problem.title : toShownLine(reason?.message ?? '');
  return joinSentences(what, where);
}
