/** A step that is to be looked at: whoever shows the inspector opens it, and the progress in it takes it from there. */
import { create } from 'zustand';
import { changeLayout } from './layout.ts';

interface NodeFocus {
  readonly nodeId: string | undefined;
}

export const useNodeFocus = create<NodeFocus>(() => ({ nodeId: undefined }));

export function requestNodeFocus(projectId: string, nodeId: string): void {
  changeLayout(projectId, { inspectorTab: 'progress' });
  useNodeFocus.setState({ nodeId });
}

/** It is shown now. */
export function consumeNodeFocus(): void {
  useNodeFocus.setState({ nodeId: undefined });
}
