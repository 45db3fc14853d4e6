/** Whether the log is as it was written: each line holds a hash over itself and the line before it. */
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { useLogCheck } from '../../../api/inspector-queries.ts';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { PanelProps, Subject } from '../../../state/subject.ts';
import { Note } from '../../../ui/note.tsx';

interface LogCheckProps {
  readonly subject: Subject;
  readonly phase: PanelProps['view']['phase'];
}

export function LogCheck({ subject, phase }: LogCheckProps) {
  const { t } = useTranslation();
  const { data } = useLogCheck(subject.kind === 'run' ? subject.runId : undefined, phase);
  if (!data) return undefined;
  if (data.isIntact)
    return (
      <p className="flex shrink-0 items-center gap-1.5 px-3 pb-2 text-xs text-ink-faint">
        <ShieldCheck aria-hidden="true" className="size-3.5 text-ok" />
        {t('inspector.logs.isIntact')}
      </p>
    );
  return (
    <div className="shrink-0 px-3 pb-2">
      <Note
        level="warning"
        title={
          <span className="flex items-center gap-1.5">
            <ShieldAlert aria-hidden="true" className="size-3.5" />
            {t('inspector.logs.isBroken', { number: formatNumber(data.brokenAt ?? data.lastSeq) })}
          </span>
        }
        advice={t('inspector.logs.brokenAdvice')}
      />
    </div>
  );
}
