/** A request of an earlier turn, rebuilt from the log, with the proof that it is what was sent. */
import type { RebuiltRequest, ShownRequest } from '@crewagent/protocol/api/shown-context';
import { BadgeCheck, CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { useSentRequest } from '../../../api/inspector-queries.ts';
import { formatNumber, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Checkbox } from '../../../ui/forms/checkbox.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { RequestLayers } from './request-layers.tsx';

interface SentRequestsProps {
  readonly workId: string;
  /** The last request, which is shown until it is rebuilt. */
  readonly last: ShownRequest & { readonly turn: number };
  /** The chosen one. */
  readonly turn: number;
  readonly onChoose: (turn: number) => void;
}

/** A slider over all turns. */
export function SentRequests({ workId, last, turn, onChoose }: SentRequestsProps) {
  const { t } = useTranslation();
  const turns = last.turn;
  return (
    <>
      {turns > 1 ? (
        <label className="flex items-center gap-3 text-sm">
          <span className="shrink-0 text-ink-soft tabular-nums">
            {t('context.requestOf', { turn: formatNumber(turn), turns: formatNumber(turns) })}
          </span>
          <input
            type="range"
            min={1}
            max={turns}
            value={turn}
            aria-label={t('context.which')}
            className="min-w-0 flex-1 accent-accent"
            onChange={(event) => onChoose(Number(event.target.value))}
          />
        </label>
      ) : undefined}
      <SentRequest workId={workId} turn={turn} known={turn === turns ? last : undefined} />
    </>
  );
}

interface SentRequestProps {
  readonly workId: string;
  readonly turn: number;
  readonly known?: ShownRequest | undefined;
}

export function SentRequest({ workId, turn, known }: SentRequestProps) {
  const { t } = useTranslation();
  const [isOnlyNew, setOnlyNew] = useState(false);
  const { data, error } = useSentRequest(workId, turn);
  const before = useSentRequest(workId, isOnlyNew ? turn - 1 : 0).data;
  const request = data ?? known;
  if (!request) return error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />;
  const old = new Set(isOnlyNew ? before?.parts.map(({ text }) => text) : []);
  const parts = request.parts.filter(({ text }) => !old.has(text));
  return (
    <>
      {data ? <Proof request={data} /> : undefined}
      {turn > 1 ? (
        <Checkbox
          label={t('context.onlyNew', { turn: formatNumber(turn - 1) })}
          isChecked={isOnlyNew}
          onChange={setOnlyNew}
        />
      ) : undefined}
      {/* The expanded parts of one request are not those of another. */}
      <RequestLayers key={turn} request={{ ...request, parts }} />
    </>
  );
}

function Proof({ request: { isProved, sha256 = '', at, bytes } }: { readonly request: RebuiltRequest }) {
  const { t } = useTranslation();
  const said = isProved ? 'proved' : isProved === undefined ? 'noHash' : 'different';
  const Icon = isProved ? BadgeCheck : CircleAlert;
  return (
    <p className="flex gap-2 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isProved ? 'text-ok' : 'text-warn'}`} />
      <span className="min-w-0">
        {t(`context.${said}`)}{' '}
        <span className="text-ink-faint" title={sha256}>
          {formatWhen(at)} · {t('context.bytes', { bytes: formatNumber(bytes) })}
          {sha256 === '' ? '' : ` · SHA-256 ${sha256.slice(0, 12)}…`}
        </span>
      </span>
    </p>
  );
}
