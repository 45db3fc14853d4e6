/** The run in one file that is looked at, and the run that is being exported as one. */
import type { StagedBundle } from '@crewagent/protocol/api/bundles';
import { create } from 'zustand';
import { navigate } from './router.ts';

interface OpenedBundle {
  /** To be uploaded. */
  readonly file: File | undefined;
  /** Received by the server. */
  readonly staged: StagedBundle | undefined;
}

export const useOpenedBundle = create<OpenedBundle>(() => ({ file: undefined, staged: undefined }));

export function isBundle({ name }: File): boolean {
  return /\.crewrun$/i.test(name);
}

export function openBundle(file: File): void {
  useOpenedBundle.setState({ file, staged: undefined });
  navigate({ name: 'open' });
}

/** Undefined while none is exported. */
export const useExportedBundle = create<{ readonly workId: string | undefined }>(() => ({
  workId: undefined,
}));
