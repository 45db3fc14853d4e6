/** What can be done from a conversation about a model that fails: another key here, everything else in the settings. */
import type { RunView } from '@crewagent/protocol/run-view';
import { type ReactNode, useMemo, useState } from 'react';
import { KeyDialog } from '../../models/key-dialog.tsx';
import { navigate } from '../../navigation/router.ts';
import type { ModelFix } from '../../state/model-fix.ts';

interface ModelFixes {
  readonly value: ModelFix;
  readonly dialog: ReactNode;
}

export function useModelFixes({ model }: Readonly<RunView>, onKeySaved: () => Promise<void>): ModelFixes {
  const [isAsking, setAsking] = useState(false);
  const profile = model?.kind === 'provider' ? model.profile : undefined;
  const value = useMemo(
    (): ModelFix => ({
      changeKey: profile === undefined ? undefined : () => setAsking(true),
      openModelSettings: () => navigate({ name: 'settings', section: 'model' }),
      openLimits: () => navigate({ name: 'settings', section: 'engine' }),
    }),
    [profile],
  );
  return {
    value,
    dialog:
      isAsking && profile !== undefined ? (
        <KeyDialog name={profile} onClose={() => setAsking(false)} onSaved={onKeySaved} />
      ) : undefined,
  };
}
