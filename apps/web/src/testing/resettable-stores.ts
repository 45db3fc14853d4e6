/**
 * Replaces `zustand` in tests of the page: records every store, so that a test starts with the initial state of all of them,
 * although test files share the loaded modules.
 */
import type { StateCreator } from 'zustand';
import { create as createStore } from 'zustand/react';

const resets: (() => void)[] = [];

export function resetStores(): void {
  for (const reset of resets) reset();
}

export const create = ((initializer?: StateCreator<unknown>) => {
  // `create<State>()(initializer)`
  if (!initializer) return create;
  const store = createStore(initializer);
  resets.push(() => store.setState(store.getInitialState(), true));
  return store;
}) as typeof createStore;
