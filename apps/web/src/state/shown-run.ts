/** The run beside which files are shown: its journal has their versions. */
import { create } from 'zustand';

export interface ShownRunFiles {
  readonly projectId: string;
  readonly runId: string;
  /** Changes with every change of a file. */
  readonly mark: string;
  /** Titles of the nodes by id. */
  readonly titles: ReadonlyMap<string, string>;
}

export const useShownRun = create<{ readonly run: ShownRunFiles | undefined }>(() => ({ run: undefined }));
