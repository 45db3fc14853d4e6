/** What can be done from a conversation about a model that fails: another key, the step again; everything else in the settings. */
import type { RunView } from '@crewagent/protocol/run-view';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { navigate } from '../../navigation/router.ts';
import { RewindDialog } from '../../run/undo/rewind-dialog.tsx';
import type { ModelFix } from '../../state/model-fix.ts';

interface ModelFixes {
  readonly value: ModelFix;
  readonly dialog: ReactNode;
}

/** `view`: the run that asks the model, which may be one that was called. */
export function useModelFixes(view: Readonly<RunView>, onResume: () => Promise<void>): ModelFixes {
  const { model } = view;
  const [asked, setAsked] = useState<'key' | 'step'>();
  const close = (): void => setAsked(undefined);
  const hasStep = view.nodes.length > 0;
  const profile = model?.kind === 'provider' ? model.profile : undefined;
  const value = useMemo(
    (): ModelFix => ({
      changeKey: profile === undefined ? undefined : () => setAsked('key'),
      restartStep: hasStep ? () => setAsked('step') : undefined,
      openModelSettings: () => navigate({ name: 'settings', section: 'model' }),
      openLimits: () => navigate({ name: 'settings', section: 'engine' }),
    }),
    [profile, hasStep],
  );
  return {
    value,
    dialog:
      isAsking && profile !== undefined ? (
        <Suspense>
          <KeyDialog name={profile} onClose={() => setAsking(false)} onSaved={onKeySaved} />
        </Suspense>
      ) : undefined,
  };
}

const KeyDialog = lazy(async () => ({ default: (await import('../../models/key-dialog.tsx')).KeyDialog }));
