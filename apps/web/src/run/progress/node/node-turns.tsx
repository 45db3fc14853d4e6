/** The turns of a node: messages of the model and its calls. The latest are shown, all on demand. */
import { useState } from 'react';
import { formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { ToolRow } from '../../timeline/rows/tool-row.tsx';
import type { NodeTurn } from './to-node-details.ts';

const INITIAL_COUNT = 12;
const MORE = 100;

export function NodeTurns({ turns }: { readonly turns: readonly NodeTurn[] }) {
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const [most, setMost] = useState(INITIAL_COUNT);
  const hidden = Math.max(0, turns.length - most);
  return (
    <OpenRowsContext value={openRows}>
      {hidden > 0 ? (
        <Button kind="quiet" size="sm" onClick={() => setMost(most + MORE)} className="mb-1 -ms-2">
          {t('inspector.node.earlierTurns', { count: hidden })}
        </Button>
      ) : undefined}
      <ol className="flex flex-col gap-1.5">
        {turns.slice(hidden).map((turn, index) => (
          <li key={turn.seq} className="border-s-2 ps-2">
            <p className="flex gap-2">
              <span className="min-w-0 grow truncate text-sm text-ink-soft">
                {turn.text === undefined
                  ? t('inspector.node.turn', { number: hidden + index + 1 })
                  : toShownLine(turn.text.slice(0, 200))}
              </span>
              <time dateTime={turn.ts} className="shrink-0 text-xs text-ink-faint tabular-nums">
                {formatTime(turn.ts)}
              </time>
            </p>
            {turn.calls.map((call) => (
              <ToolRow key={call.callId} rowKey={`${turn.seq}:${call.callId}`} item={call} />
            ))}
          </li>
        ))}
      </ol>
    </OpenRowsContext>
  );
}
