import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { mergeConfig } from 'vite';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGS } from '../../scripts/chromium-args.mjs';
import { findChromium } from '../../scripts/find-chromium.mjs';
import viteConfig from './vite.config.ts';

/** Components in a real browser: `*.test.tsx`. What needs none is `*.test.ts` and runs with the rest. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    resolve: {
      alias: [
        {
          find: /^zustand$/,
          replacement: fileURLToPath(new URL('src/testing/resettable-stores.ts', import.meta.url)),
        },
      ],
    },
    // React as users get it. Its development version needs half as much CPU time again.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { development: false } },
    optimizeDeps: {
      rolldownOptions: { transform: { define: { 'process.env.NODE_ENV': '"production"' } } },
      // Found one by one they would make the page load again in the middle of a test.
      include: [
        '@codemirror/commands',
        '@codemirror/lang-json',
        '@codemirror/lang-markdown',
        '@codemirror/lang-yaml',
        '@codemirror/language',
        '@codemirror/lint',
        '@codemirror/search',
        '@codemirror/state',
        '@codemirror/view',
        '@dagrejs/dagre',
        '@lezer/highlight',
        '@tanstack/react-query',
        '@xyflow/react',
        'axe-core',
        'character-entities',
        'cmdk',
        'diff',
        'fast-check',
        'i18next',
        'katex',
        'lucide-react',
        'marked',
        'radix-ui',
        'react',
        'react-dom',
        'react-dom/client',
        'react-resizable-panels',
        'react/jsx-runtime',
        'remend',
        'virtua',
        'vitest-browser-react',
        'zustand/middleware',
        'zustand/react',
        'zustand/vanilla',
      ],
    },
    test: {
      name: 'web',
      // Each file waits for its page more than it computes.
      maxWorkers: 2,
      // The setup file resets the state of the page, so files can share loaded modules: a third less CPU time.
      isolate: false,
      include: ['src/**/*.test.tsx'],
      globalSetup: ['../../scripts/require-chromium.mjs'],
      setupFiles: ['src/testing/set-up-page.ts'],
      // The browser shares two cores with all the other tests; a slow machine is not a failure.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000 } },
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({
          launchOptions: {
            executablePath: findChromium() ?? 'chromium',
            args: CHROMIUM_ARGS,
          },
          contextOptions: { reducedMotion: 'reduce' },
        }),
        instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
      },
    },
  }),
);
