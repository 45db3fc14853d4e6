/** Status bar of a conversation or a run; each part opens what it names. */
import { addUsage } from '@crewagent/protocol/model';
import type { Story } from '@crewagent/protocol/story/story';
import { type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { useContextSize } from '../../api/inspector-queries.ts';
import { usePackageTitle } from '../../api/queries.ts';
import { formatCompact, formatCost } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { nameOfModel } from '../../models/answering-model.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { useAllCommands, useCommands } from '../../palette/commands.ts';
import { usePast } from '../../run/past.ts';
import { changeLayout } from '../../state/layout.ts';
import { showFile } from '../../state/open-files.ts';
import { useShownPhase } from '../../state/shown-phase.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { PhasePill } from '../../ui/phase-pill.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { PALETTE } from '../shell/command-palette.tsx';
import { InspectorContext } from '../shell/inspector-toggle.tsx';

interface RunStatusProps {
  readonly projectId: string;
  readonly projectName: string | undefined;
  /** The active run or thread. */
  readonly active: Readonly<Story>;
  /** Sub-workflows that it called and that are not complete, the innermost last. */
  readonly called: readonly Readonly<Story>[];
  readonly isConnected: boolean;
}

export function RunStatus(props: RunStatusProps) {
  const { projectId, projectName, active, called, isConnected } = props;
  const { t } = useTranslation();
  const { show } = useContext(InspectorContext);
  const isNarrow = useIsNarrow();
  const past = usePast();
  const { model, requestTokens, package: pkg, lastSeq } = active;
  // What a sub-workflow uses is added to its caller when it is complete.
  const usage = called.reduce((sum, run) => addUsage(sum, run.usage), active.usage);
  const tokens = usage.promptTokens + usage.completionTokens;
  const askedModel = (called.at(-1) ?? active).askedModel;
  const { data: size } = useContextSize(
    requestTokens === undefined ? undefined : active.runId,
    JSON.stringify(model ?? ''),
  );
  const inspect = (inspectorTab: string) => (): void => {
    changeLayout(projectId, { inspectorTab });
    show();
  };
  useInspectorCommands(inspect);
  const packageTitle = usePackageTitle(pkg?.hash);
  const named = (name: 'project' | 'package' | 'model', text: string | undefined, open: () => void) =>
    text === undefined ? undefined : (
      <Part label={t(`status.${name}`, { name: text })} onOpen={open}>
        <span className="truncate">{toShownLine(text)}</span>
      </Part>
    );
  const modelName = model && (model.kind === 'rehearsal' ? t('status.rehearsal') : nameOfModel(model));
  const phase = useShownPhase(active, isConnected);
  return (
    <section
      aria-label={t('status.label')}
      className="flex h-7 shrink-0 items-center border-t pointer-coarse:h-11 bg-canvas px-1 text-xs text-ink-faint tabular-nums"
    >
      {named('project', projectName, () => openInFront({ name: 'project', projectId }))}
      {pkg && !isNarrow
        ? named('package', packageTitle, () => navigate({ name: 'packages', hash: pkg.hash }))
        : undefined}
      <span className="grow" />
      {isNarrow ? undefined : <PaletteHint />}
      {isNarrow
        ? undefined
        : named('model', askedModel ?? modelName, () => navigate({ name: 'settings', section: 'model' }))}
      {requestTokens === undefined || size === undefined ? undefined : (
        <Part
          isWhole
          label={t('status.context', { used: formatCompact(requestTokens), size: formatCompact(size) })}
          onOpen={inspect('context')}
        >
          <ProgressBar
            label={t('status.contextLabel')}
            value={requestTokens / size}
            tone={requestTokens / size > 0.8 ? 'warn' : 'accent'}
            className="w-12"
          />
          {formatCompact(requestTokens)}
        </Part>
      )}
      {usage.costUsd ? (
        <Part
          isWhole
          label={t('status.cost', { cost: formatCost(usage.costUsd) })}
          onOpen={inspect('progress')}
        >
          {formatCost(usage.costUsd)}
        </Part>
      ) : tokens > 0 ? (
        <Part
          isWhole
          label={t('status.tokens', { tokens: formatCompact(tokens) })}
          onOpen={inspect('progress')}
        >
          {t('usage.tokens', { tokens: formatCompact(tokens) })}
        </Part>
      ) : undefined}
      {tokens > 0 && usage.costUsd === undefined && !isNarrow ? (
        <Part
          isWhole
          label={t('status.setPrice', { text: t('usage.priceUnknown') })}
          onOpen={() => navigate({ name: 'settings', section: 'model' })}
        >
          {t('usage.priceUnknown')}
        </Part>
      ) : undefined}
      {/* Elsewhere the head of the conversation shows it; a moment of the past waits for nobody. */}
      {isNarrow && lastSeq > 0 && past === undefined ? (
        <Part
          isWhole
          label={t('status.phase', { phase: t(`phase.${phase}`) })}
          onOpen={() => {
            showFile(projectId, undefined);
            inspect('progress')();
          }}
        >
          <PhasePill phase={phase} />
        </Part>
      ) : undefined}
    </section>
  );
}

interface PartProps {
  readonly label: string;
  /** It does not shrink. */
  readonly isWhole?: boolean;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

function Part({ label, isWhole = false, onOpen, children }: PartProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onOpen}
      className={`flex h-full min-w-0 items-center gap-1.5 px-2 ${isWhole ? 'shrink-0' : ''} -outline-offset-2 hover:bg-hover hover:text-ink`}
    >
      {children}
    </button>
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

const TABS = ['progress', 'artifacts', 'evidence', 'state', 'tools', 'log', 'context'] as const;

function useInspectorCommands(inspect: (tab: string) => () => void): void {
  const { t } = useTranslation();
  const latest = useRef(inspect);
  useEffect(() => {
    latest.current = inspect;
  });
  useCommands(
    useMemo(
      () =>
        TABS.map((tab) => ({
          id: `inspector.${tab}`,
          title: `${t('inspector.label')}: ${t(`inspector.${tab}`)}`,
          group: t('palette.view'),
          run: () => latest.current(tab)(),
        })),
      [t],
    ),
  );
}
