/** Events, one per line; a line expands to the whole event. Virtualized; follows the end. */
import type { RunEvent } from '@crewagent/protocol/events';
import { useRef } from 'react';
import { Virtualizer } from 'virtua';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { ToEndButton, useFollowEnd } from '../../use-follow-end.tsx';
import { LogRow } from './log-row.tsx';

interface LogListProps {
  readonly events: readonly RunEvent[];
  readonly earlier: number;
  readonly isPrepended: boolean;
  readonly onLoadEarlier: () => void;
}

export function LogList({ events, earlier, isPrepended, onLoadEarlier }: LogListProps) {
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastKey = events.at(-1)?.seq.toString();
  const { list, isAtEnd, follow } = useFollowEnd({ scroller, content, lastKey });
  return (
    <div className="relative min-h-0 grow border-t">
      <section
        ref={scroller}
        aria-label={t('inspector.logs.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-2 [overflow-anchor:none] -outline-offset-2"
      >
        {earlier > 0 ? (
          <Button kind="quiet" size="sm" onClick={onLoadEarlier} className="my-1 w-full">
            {t('inspector.logs.earlier', { count: earlier })}
          </Button>
        ) : undefined}
        <OpenRowsContext value={openRows}>
          <div ref={content} className="py-1">
            <Virtualizer ref={list} scrollRef={scroller} bufferSize={400} itemSize={27} shift={isPrepended}>
              {events.map((event) => (
                <div key={event.seq}>
                  <LogRow event={event} />
                </div>
              ))}
            </Virtualizer>
          </div>
        </OpenRowsContext>
      </section>
      {isAtEnd ? undefined : <ToEndButton onClick={follow} />}
    </div>
  );
}
