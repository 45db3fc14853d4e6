/** A node to focus: the inspector opens for it, and its Progress panel consumes the request. */
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

/** Clears the request once the node is shown. */
export function consumeNodeFocus(): void {
  useNodeFocus.setState({ nodeId: undefined });
}
