/** A visit to show in the timeline: the conversation comes to the front, and its timeline consumes the request. */
import { create } from 'zustand';
import { showFile } from './open-files.ts';

interface WantedStep {
  readonly runId: string;
  readonly nodeId: string;
  /** The number of an event of the visit. */
  readonly seq: number;
}

export const useStepFocus = create<{ readonly wanted: WantedStep | undefined }>(() => ({
  wanted: undefined,
}));

export function requestStep(projectId: string, wanted: WantedStep): void {
  showFile(projectId, undefined);
  useStepFocus.setState({ wanted });
}

/** Clears the request once the step is shown. */
export function consumeStepFocus(): void {
  useStepFocus.setState({ wanted: undefined });
}
