/** Tests a model with a real request, one at a time; the result names its model. */

import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import type { ModelTest } from '../api/settings-queries.ts';
import { useFailedModels } from '../state/failed-models.ts';
import { toError } from '../ui/errors/error-texts.ts';

export interface ModelTrial {
  /** Undefined: the default model. */
  readonly name: string | undefined;
  readonly isBusy: boolean;
  readonly outcome?: ModelTest;
  readonly issue?: Error;
}

export interface ModelTester {
  readonly trial: ModelTrial | undefined;
  readonly run: (name?: string) => Promise<ModelTest | undefined>;
  readonly stop: () => void;
}

export function useModelTest(): ModelTester {
  const client = useApi();
  const [trial, setTrial] = useState<ModelTrial>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  const run = async (name?: string): Promise<ModelTest | undefined> => {
    underWay.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    underWay.current = controller;
    setTrial({ name, isBusy: true });
    try {
      const body = name === undefined ? {} : { model: name };
      const outcome = await client.models.test({ body }, { signal });
      if (signal.aborted) return undefined;
      if (name !== undefined && outcome.report) useFailedModels.getState().note(name, outcome.report.ok);
      setTrial({ name, isBusy: false, outcome });
      return outcome;
    } catch (error) {
      if (!signal.aborted) setTrial({ name, isBusy: false, issue: toError(error) });
      return undefined;
    }
  };
  const stop = (): void => {
    underWay.current?.abort();
    setTrial(undefined);
  };
  return { trial, run, stop };
}
