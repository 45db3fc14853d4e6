/**
 * How TypeScript becomes something Node can run: one rolldown setting for the product, the benches and our scripts.
 */
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { root } from './set-up.mjs';

/** Bundles named entry files into `dir`; lazily imported modules become chunks. */
export async function bundle(input, dir, output = {}) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    // rolldown is for building us, not part of us.
    external: ['rolldown', ...builtinModules, /^node:/],
    // The Node build of yaml looks up an environment variable per token; the other one is the same parser without it.
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') } },
    logLevel: 'warn',
  });
  try {
    await build.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      cleanDir: true,
      // Names and lines stay; what only people read goes, and with it a third of what Node has to look through.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      ...output,
    });
  } finally {
    await build.close();
  }
}
