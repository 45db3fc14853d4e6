/** Actions for a failing model: provided by the screen, used where the failure is shown. */
import { createContext, useContext } from 'react';

export interface ModelFix {
  /** Opens the key form of the model; undefined if the model has no key of its own. */
  readonly changeKey: (() => void) | undefined;
  /** Starts the current step again; undefined where there is none. */
  readonly restartStep: (() => void) | undefined;
  readonly openModelSettings: () => void;
  readonly openLimits: () => void;
}

const noop = (): void => undefined;

export const ModelFixContext = createContext<ModelFix>({
  changeKey: undefined,
  restartStep: undefined,
  openModelSettings: noop,
  openLimits: noop,
});

export function useModelFix(): ModelFix {
  return useContext(ModelFixContext);
}
