/** Whether diffs have one column or two; stored in this browser. */
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted } from './persisted.ts';

export const DIFF_MODES = ['inline', 'split'] as const;

interface DiffMode {
  readonly mode: (typeof DIFF_MODES)[number];
}

export const useDiffMode = create<DiffMode>()(
  persist((): DiffMode => ({ mode: 'inline' }), {
    name: 'crewagent.diff-mode',
    merge: mergePersisted(z.object({ mode: z.catch(z.enum(DIFF_MODES), 'inline') })),
  }),
);
