/** What a person can do where the model of a run fails: offered by the screen, used where the failure is shown. */
import { createContext, useContext } from 'react';

export interface ModelFix {
  /** Asks for another key of the model; undefined where it has no key of its own to change. */
  readonly changeKey: (() => void) | undefined;
  /** Starts the current step again; undefined where there is none. */
  readonly restartStep: (() => void) | undefined;
  readonly openModelSettings: () => void;
  readonly openLimits: () => void;
}

const nothing = (): void => undefined;

export const ModelFixContext = createContext<ModelFix>({
  changeKey: undefined,
  restartStep: undefined,
  openModelSettings: nothing,
  openLimits: nothing,
});

export function useModelFix(): ModelFix {
  return useContext(ModelFixContext);
}
