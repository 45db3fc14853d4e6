import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The product: one page, everything it needs beside it, names by content so that they can be kept for ever. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the page's policy allows neither data: fonts nor inline styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // One file of pictures instead of one file for each.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'icons', test: /node_modules[\\/]lucide-react/ }] } },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
});
