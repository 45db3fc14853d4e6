/** Fixes that a conversation offers where it paused: another key, the step again, the folder; all others are in the settings. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { navigate } from '../../navigation/router.ts';
import { RelinkDialog } from '../../projects/relink-dialog.tsx';
import type { ShownStory } from '../../state/conversation-store.ts';
import type { ModelFix } from '../../state/model-fix.ts';

/** `view`: the run that asks the model, which may be one that was called. */
export function useModelFixes(view: ShownStory, projectId: string, onResume: () => Promise<void>) {
  const { model, state } = view;
  const [asked, setAsked] = useState<'key' | 'step' | 'folder'>();
  const close = (): void => setAsked(undefined);
  const hasStep = state.currentNodeId !== '';
  const profile = model?.kind === 'provider' ? model.profile : undefined;
  const value = useMemo(
    (): ModelFix => ({
      changeKey: profile === undefined ? undefined : () => setAsked('key'),
      restartStep: hasStep ? () => setAsked('step') : undefined,
      openModelSettings: () => navigate({ name: 'settings', section: 'model' }),
      openLimits: () => navigate({ name: 'settings', section: 'engine' }),
      locateFolder: () => setAsked('folder'),
    }),
    [profile, hasStep],
  );
  return {
    value,
    dialog:
      asked === 'key' && profile !== undefined ? (
        <Suspense>
          <KeyDialog name={profile} onClose={close} onSaved={onResume} />
        </Suspense>
      ) : asked === 'step' ? (
        <Suspense>
          <RewindDialog kind="redo" view={view} onResume={onResume} onClose={close} />
        </Suspense>
      ) : asked === 'folder' ? (
        <RelinkDialog projectId={projectId} onClose={close} onDone={() => void onResume()} />
      ) : undefined,
  };
}

const KeyDialog = lazy(async () => ({ default: (await import('../../models/key-dialog.tsx')).KeyDialog }));
const RewindDialog = lazy(() => import('../../run/undo/rewind-dialog.tsx'));
