/** Validates the edited text with the gate, debounced. Only the verdict for the current text counts. */

import type { StateVerdict } from '@crewagent/protocol/api/work-inspection';
import { useEffect, useState } from 'react';
import { useApi } from '../../../api/api-context.tsx';
import { toError } from '../../../ui/errors/error-texts.ts';

const PAUSE_MS = 300;

export interface StateCheck {
  /** Verdict for the current text; undefined while unknown. */
  readonly verdict: StateVerdict | undefined;
  readonly issue: Error | undefined;
}

export function useStateCheck(runId: string, text: string | undefined): StateCheck {
  const client = useApi();
  const [checked, setChecked] = useState<StateCheck & { readonly text: string }>();
  useEffect(() => {
    if (text === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async (): Promise<void> => {
      try {
        const verdict = await client.works.checkState({ workId: runId, body: { text } }, { signal });
        if (!signal.aborted) setChecked({ text, verdict, issue: undefined });
      } catch (error) {
        if (!signal.aborted) setChecked({ text, verdict: undefined, issue: toError(error) });
      }
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, runId, text]);
  const isOfNow = text !== undefined && checked?.text === text;
  return isOfNow ? checked : { verdict: undefined, issue: undefined };
}
