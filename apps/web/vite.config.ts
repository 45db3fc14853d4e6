import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { createPackageNotes } from '../../scripts/bundled-packages.mjs';
import { diagramFrame } from './frames/build-diagram-frame.ts';
import { signInPage } from './frames/build-sign-in.ts';
import { createModuleGroup } from './frames/module-group.ts';
import { onlyUsedFonts } from './frames/only-used-fonts.ts';

const notes = createPackageNotes();

/**
 * One file each, instead of thirty: the first screen, and what the screen of a Work needs besides, which is loaded with the first
 * movement.
 */
const start = createModuleGroup('/src/start/start-screen.tsx');
const work = createModuleGroup('/src/app/conversation/live-work.tsx');

/** Its resets and utilities are in the styles, its files in no module. */
notes.names.add('node_modules/tailwindcss');

/** The product: one page, everything it needs beside it, names by content so that they can be kept for ever. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    ...[react(), tailwindcss(), diagramFrame(notes.plugin), onlyUsedFonts(), signInPage(notes.plugin)],
    notes.plugin,
    start.plugin,
    work.plugin,
    {
      name: 'write-packages',
      apply: 'build',
      generateBundle: {
        order: 'post',
        handler() {
          const source = JSON.stringify([...notes.names].sort());
          this.emitFile({ type: 'asset', fileName: '.vite/packages.json', source });
        },
      },
    },
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the page's policy allows neither data: fonts nor inline styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // The initial load is one file of libraries and one of ours, instead of a file for each set of modules that a later chunk
    // shares with it: seventy files needed a third more CPU time. The entry is not in a group, so that the manifest lists it.
    // The icons of later chunks are one file.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules/ },
            { name: 'page', tags: ['$initial'], test: /^(?!.*(?:index\.html|src[\\/]main\.tsx)$)/ },
            { name: 'start', test: start.has },
            { name: 'work', test: work.has },
            { name: 'icons', test: /node_modules[\\/]lucide-react/ },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
});
