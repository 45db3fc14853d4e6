/** Progress of a run as a list: for keyboards, screen readers and small screens. */

import { useEffect, useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { CalledRun, CalledRuns } from './called-runs.ts';
import { NodeMark } from './node/node-mark.tsx';
import { NodeWho } from './node/node-who.tsx';
import type { Progress, ProgressNode } from './to-progress.ts';

interface ProgressListProps {
  readonly progress: Progress;
  /** The package of its agents. */
  readonly packageHash: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
  /** Called runs by the node that called them last. */
  readonly called?: CalledRuns | undefined;
  readonly onChooseRun?: ((runId: string) => void) | undefined;
}

export function ProgressList(props: ProgressListProps) {
  const { progress, packageHash, onOpenNode, called, onChooseRun } = props;
  const { t } = useTranslation();
  const list = useCurrentInSight(progress.nodes.find((node) => node.progress === 'current')?.id);
  return (
    <ol ref={list} aria-label={t('progress.list')} className="flex flex-col p-2">
      {progress.nodes.map((node, index) => (
        <li
          key={node.id}
          aria-current={node.progress === 'current' ? 'step' : undefined}
          className="relative"
        >
          {index > 0 ? (
            <span aria-hidden="true" className="absolute -top-2 left-[15px] h-4 w-px bg-line-strong" />
          ) : undefined}
          <button
            type="button"
            data-id={node.id}
            onClick={() => onOpenNode(node.id)}
            className={classNames(
              'relative flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-hover',
              node.progress === 'current' && 'bg-accent-soft',
            )}
          >
            <span className="rounded-full bg-surface">
              <NodeMark node={node} />
            </span>
            <span className="min-w-0 grow">
              <span
                className={classNames(
                  'block truncate',
                  node.progress === 'current' && 'font-semibold',
                  node.progress === 'ahead' && 'text-ink-soft',
                  node.progress === 'notNeeded' && 'text-ink-faint',
                )}
              >
                {toShownLine(node.title)}
              </span>
              <Below node={node} packageHash={packageHash} />
            </span>
          </button>
          <CalledSteps run={called?.get(node.id)} onChooseRun={onChooseRun} />
        </li>
      ))}
    </ol>
  );
}

interface CalledStepsProps {
  readonly run: CalledRun | undefined;
  readonly onChooseRun: ProgressListProps['onChooseRun'];
}

/** Steps of a called workflow, indented; a click inspects its run. */
function CalledSteps({ run, onChooseRun }: CalledStepsProps) {
  const { t } = useTranslation();
  if (!run) return undefined;
  return (
    <ol aria-label={toShownLine(run.title)} className="ms-6 flex flex-col border-s ps-2">
      {run.progress.nodes.map((node) => (
        <li key={node.id} aria-current={node.progress === 'current' ? 'step' : undefined}>
          <button
            type="button"
            title={t('call.open', { title: toShownLine(run.title) })}
            onClick={() => onChooseRun?.(run.runId)}
            className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-start text-sm hover:bg-hover"
          >
            <NodeMark node={node} />
            <span className={classNames('truncate', node.progress === 'current' && 'font-semibold')}>
              {toShownLine(node.title)}
            </span>
          </button>
          <CalledSteps run={run.called.get(node.id)} onChooseRun={onChooseRun} />
        </li>
      ))}
    </ol>
  );
}

/** Scrolls to the current step and the next one whenever the current step changes. */
function useCurrentInSight(currentId: string | undefined) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (currentId === undefined) return;
    const current = list.current?.querySelector('[aria-current="step"]');
    current?.nextElementSibling?.scrollIntoView({ block: 'nearest' });
    current?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return list;
}

interface BelowProps {
  readonly node: ProgressNode;
  readonly packageHash: string | undefined;
}

function Below({ node, packageHash }: BelowProps) {
  const { t } = useTranslation();
  const { isRefused, progress } = node;
  const extra = [
    ...(progress === 'current' || progress === 'notNeeded' ? [t(`progress.${progress}`)] : []),
    ...(isRefused ? [t('progress.refused')] : []),
  ];
  // The type "step" is the default and not shown.
  if (node.type === 'step' && !node.agentId && extra.length === 0) return undefined;
  return (
    <span className="block truncate text-xs text-ink-faint">
      <NodeWho node={node} packageHash={packageHash} extra={extra} />
    </span>
  );
}
