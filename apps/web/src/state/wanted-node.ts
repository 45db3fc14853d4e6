/** A step that is to be looked at: whoever shows the inspector opens it, and the progress in it takes it from there. */
import { create } from 'zustand';
import { changeLayout } from './layout.ts';

interface WantedNode {
  readonly nodeId: string | undefined;
}

export const useWantedNode = create<WantedNode>(() => ({ nodeId: undefined }));

export function wantNode(projectId: string, nodeId: string): void {
  changeLayout(projectId, { inspectorTab: 'progress' });
  useWantedNode.setState({ nodeId });
}

/** It is shown now. */
export function takeWantedNode(): void {
  useWantedNode.setState({ nodeId: undefined });
}
