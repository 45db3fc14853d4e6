/** The status bar; each part opens what it names. */
import type { ReactNode } from 'react';
import { formatCompact, formatCost } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useAllCommands } from '../../palette/commands.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { PhasePill, type ShownPhase } from '../../ui/phase-pill.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { PALETTE } from './command-palette.tsx';

export interface StatusBarProps {
  readonly project?: string | undefined;
  readonly packageName?: string | undefined;
  readonly model?: string | undefined;
  readonly phase?: ShownPhase | undefined;
  /** Tokens of the last request, and the context size of the model. */
  readonly context?: { readonly used: number; readonly size: number } | undefined;
  readonly costUsd?: number | undefined;
  /** Tokens so far, shown where no cost is known. */
  readonly tokens?: number | undefined;
  /** Actions of the parts; a part without one is plain text. */
  readonly actions?: Partial<Readonly<Record<StatusPart, () => void>>>;
}

export type StatusPart = 'project' | 'package' | 'model' | 'phase' | 'context' | 'cost';

export function StatusBar(props: StatusBarProps) {
  const { t } = useTranslation();
  const { project, packageName, model, phase, context, costUsd, tokens, actions = {} } = props;
  const isNarrow = useIsNarrow();
  const part = (name: StatusPart, label: string, content: ReactNode, isRight = false): ReactNode => {
    const action = actions[name];
    const look = `flex h-full min-w-0 items-center gap-1.5 px-2 ${isRight ? 'shrink-0' : ''}`;
    if (!action) {
      return (
        <span title={label} className={look}>
          {content}
        </span>
      );
    }
    return (
      <button
        type="button"
        aria-label={label}
        onClick={action}
        className={`${look} -outline-offset-2 hover:bg-hover hover:text-ink`}
      >
        {content}
      </button>
    );
  };
  const named = (name: 'project' | 'package' | 'model', text: string | undefined): ReactNode =>
    text === undefined
      ? undefined
      : part(
          name,
          t(`status.${name}`, { name: text }),
          <span className="truncate">{toShownLine(text)}</span>,
        );
  return (
    <section
      aria-label={t('status.label')}
      className="flex h-7 shrink-0 items-center border-t pointer-coarse:h-10 bg-canvas px-1 text-xs text-ink-faint tabular-nums"
    >
      {named('project', project)}
      {isNarrow ? undefined : named('package', packageName)}
      <span className="grow" />
      {isNarrow ? undefined : <PaletteHint />}
      {isNarrow ? undefined : named('model', model)}
      {context === undefined
        ? undefined
        : part(
            'context',
            t('status.context', { used: formatCompact(context.used), size: formatCompact(context.size) }),
            <>
              <ProgressBar
                label={t('status.contextLabel')}
                value={context.used / context.size}
                tone={context.used / context.size > 0.8 ? 'warn' : 'accent'}
                className="w-12"
              />
              {formatCompact(context.used)}
            </>,
            true,
          )}
      {costUsd === undefined
        ? tokens === undefined
          ? undefined
          : part(
              'cost',
              t('status.tokens', { tokens: formatCompact(tokens) }),
              t('usage.tokens', { tokens: formatCompact(tokens) }),
              true,
            )
        : part('cost', t('status.cost', { cost: formatCost(costUsd) }), formatCost(costUsd), true)}
      {phase === undefined
        ? undefined
        : part('phase', t('status.phase', { phase: t(`phase.${phase}`) }), <PhasePill phase={phase} />, true)}
    </section>
  );
}

/** Points to the command palette. */
function PaletteHint() {
  const palette = useAllCommands().find(({ id }) => id === PALETTE);
  if (!palette?.shortcut) return undefined;
  return (
    <button
      type="button"
      onClick={palette.run}
      className="flex h-full shrink-0 items-center gap-1.5 px-2 -outline-offset-2 hover:bg-hover hover:text-ink"
    >
      {palette.title}
      <Kbd keys={palette.shortcut} />
    </button>
  );
}
