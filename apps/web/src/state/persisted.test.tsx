import { describe, expect, it } from 'vitest';
import { useTreeStates } from '../files/tree/tree-state.ts';
import { useAppearance } from './appearance.ts';
import { parseDrafts } from './file-drafts.ts';
import { layoutOf, useLayouts } from './layout.ts';
import { useNews } from './news.ts';

interface PersistedStore {
  readonly getInitialState: () => object;
  readonly setState: (state: never, replace: true) => void;
  readonly getState: () => unknown;
  readonly persist: {
    readonly rehydrate: () => void | Promise<void>;
    readonly getOptions: () => { readonly name?: string };
  };
}

async function takeUp(store: PersistedStore, state: unknown): Promise<unknown> {
  store.setState(store.getInitialState() as never, true);
  localStorage.setItem(store.persist.getOptions().name ?? '', JSON.stringify({ state, version: 0 }));
  await store.persist.rehydrate();
  return store.getState();
}

describe('values stored in this browser', () => {
  it.each([useLayouts, useTreeStates, useAppearance, useNews])(
    '[U116] are dropped if they are invalid',
    async (store) => {
      const first = await takeUp(store, {});
      for (const state of [null, 1, 'a', [], { layouts: null, trees: [], theme: 1, wantsNews: 'yes' }])
        expect(await takeUp(store, state)).toEqual(first);
    },
  );

  it('[U116] keep the valid fields of a layout', async () => {
    await takeUp(useLayouts, {
      layouts: {
        p: {
          sidePanel: 'nowhere',
          openFiles: null,
          activeFile: 7,
          hasInspector: false,
          panes: { a: 1, b: { main: 60 } },
        },
        q: 'wide',
        r: { openFiles: ['@project/a.md'], hasInspector: true },
      },
    });
    expect(layoutOf('p')).toEqual({
      sidePanel: 'works',
      openFiles: [],
      activeFile: undefined,
      hasInspector: false,
      hasThreadInspector: false,
      inspectorTab: 'progress',
      panes: { b: { main: 60 } },
    });
    expect(Object.keys(useLayouts.getState().layouts)).toEqual(['p', 'r']);
    expect(layoutOf('r').openFiles).toEqual(['@project/a.md']);
  });

  it('[U116] keep an inspector that an earlier version stored as open next to a thread', async () => {
    await takeUp(useLayouts, { layouts: { p: { hasTalkInspector: true } } });
    expect(layoutOf('p')).toMatchObject({ hasThreadInspector: true });
    expect(layoutOf('p')).not.toHaveProperty('hasTalkInspector');
  });

  it('[U36] remember that a panel was closed', async () => {
    await takeUp(useLayouts, { layouts: { p: { openFiles: [], hasInspector: true } } });
    expect(layoutOf('p').sidePanel).toBeUndefined();
  });

  it('[U116] keep the valid fields of trees and of the appearance', async () => {
    expect(
      await takeUp(useTreeStates, { trees: { p: { openFolders: 'all', hasHidden: true }, q: 1 } }),
    ).toEqual({
      trees: { p: { openFolders: [], hasHidden: true } },
      wanted: undefined,
    });
    expect(await takeUp(useAppearance, { theme: 'dark', density: 'none', language: 'tlh' })).toEqual({
      theme: 'dark',
      density: 'comfortable',
      fontSize: 'medium',
      detail: 'quiet',
      language: undefined,
    });
  });

  it('[U116] keep only valid drafts', () => {
    const draft = { text: 'a', baseSha256: null, encoding: 'utf8', lineEnding: 'lf' };
    const stored = [
      ['p\na', draft],
      ['p\nb', null],
      'c',
      ['p\nd', { ...draft, text: undefined }],
      ['p\ne', { ...draft, encoding: 'x' }],
    ];
    expect([...parseDrafts(JSON.stringify(stored))]).toEqual([['p\na', draft]]);
  });
});
