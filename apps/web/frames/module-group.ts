/** The modules that a module imports, and those that they import, without what is loaded on demand: a group of the bundler. */
import type { Plugin } from 'vite';

export function createModuleGroup(root: string): { readonly plugin: Plugin; has(id: string): boolean } {
  const ids = new Set<string>();
  return {
    plugin: {
      name: `modules-of:${root}`,
      buildEnd() {
        for (const id of this.getModuleIds()) if (id.endsWith(root)) ids.add(id);
        for (const id of ids) for (const next of this.getModuleInfo(id)?.importedIds ?? []) ids.add(next);
      },
    },
    has: (id) => ids.has(id),
  };
}
