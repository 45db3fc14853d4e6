/** Where the calls of a timeline made their changes: the project and the journal. */
import { createContext, useContext } from 'react';
import type { ConversationPicture, ShownStory } from '../../state/conversation-store.ts';

export interface ChangeScope {
  readonly projectId: string;
  readonly picture: ConversationPicture;
}

/** Undefined where changes have no actions. */
export const ChangeScopeContext = createContext<ChangeScope | undefined>(undefined);

export interface ChangeLocation {
  readonly projectId: string;
  readonly view: ShownStory;
}

/** For an item by its source: a run, or the thread. */
export function useChangeLocation(source: string | undefined): ChangeLocation | undefined {
  const scope = useContext(ChangeScopeContext);
  if (!scope || source === undefined) return undefined;
  const { projectId, picture } = scope;
  const { active, runs, own } = picture;
  const view = [active, runs.get(source), own].find((known) => known?.runId === source);
  return view && { projectId, view };
}
