/** Status bar of a conversation or a run, with links to the details. */
import type { RunModel } from '@crewagent/protocol/model';
import { addUsage } from '@crewagent/protocol/model';
import type { Story } from '@crewagent/protocol/story/story';
import { useContext, useEffect, useMemo, useRef } from 'react';
import { useContextSize } from '../../api/inspector-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { useCommands } from '../../palette/commands.ts';
import { changeLayout } from '../../state/layout.ts';
import { showFile } from '../../state/open-files.ts';
import { shownPhase } from '../../state/work-list.ts';
import { InspectorContext } from '../shell/inspector-toggle.tsx';
import { StatusBar } from '../shell/status-bar.tsx';

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
  const { model, requestTokens, package: pkg, lastSeq } = active;
  // What a sub-workflow uses is added to its caller when it is complete.
  const usage = called.reduce((sum, run) => addUsage(sum, run.usage), active.usage);
  const askedModel = (called.at(-1) ?? active).askedModel;
  const { data: size } = useContextSize(
    requestTokens === undefined ? undefined : active.runId,
    JSON.stringify(model ?? ''),
  );
  const inspect = (inspectorTab: string) => () => {
    changeLayout(projectId, { inspectorTab });
    show();
  };
  useInspectorCommands(inspect);
  return (
    <StatusBar
      project={projectName}
      packageName={pkg ? `${pkg.name}@${pkg.version}` : undefined}
      model={askedModel ?? (model ? modelName(model, t('status.rehearsal')) : undefined)}
      phase={lastSeq > 0 ? (isConnected ? shownPhase(active) : 'NotConnected') : undefined}
      context={requestTokens === undefined || size === undefined ? undefined : { used: requestTokens, size }}
      costUsd={usage.costUsd || undefined}
      tokens={usage.promptTokens + usage.completionTokens || undefined}
      actions={{
        project: () => openInFront({ name: 'project', projectId }),
        model: () => navigate({ name: 'settings', section: 'model' }),
        context: inspect('context'),
        cost: inspect('progress'),
        phase: () => {
          showFile(projectId, undefined);
          inspect('progress')();
        },
        ...(pkg ? { package: () => navigate({ name: 'packages', hash: pkg.hash }) } : {}),
      }}
    />
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

function modelName(model: RunModel, rehearsal: string): string {
  switch (model.kind) {
    case 'rehearsal':
      return rehearsal;
    case 'replay':
      return model.file;
    case 'provider':
      return model.profile ?? model.settings.model;
  }
}
