/** Actions that fix why a run paused: provided by the screen, used where the reason is shown. */
import { createContext, useContext } from 'react';

export interface ModelFix {
  /** Opens the key form of the model; undefined if the model has no key of its own. */
  readonly changeKey: (() => void) | undefined;
  /** Starts the current step again; undefined where there is none. */
  readonly restartStep: (() => void) | undefined;
  readonly openModelSettings: () => void;
  readonly openLimits: () => void;
  /** Asks where the folder of the project is now; undefined outside a project. */
  readonly locateFolder?: (() => void) | undefined;
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
