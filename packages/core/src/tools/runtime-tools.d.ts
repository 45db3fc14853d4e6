import { type Tool } from './tool.ts';
import { type WriteSources } from './write-file.ts';

type Sources = Pick<WriteSources, 'gate' | 'graph'> & {
  readonly now: () => Date;
};
export declare function createCompleteNode(sources: Sources): Tool;
export declare function createUpdateState(sources: Sources): Tool;
