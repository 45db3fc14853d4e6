/**
 * A script for a process of its own, made from a file beside this one. It finds native addons as the product does.
 */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../../../scripts/bundle.mjs';
import { tempFolder } from './temp-folder.ts';

/** The path of the script; it vanishes with the test. */
export async function bundleDriver(name: string): Promise<string> {
  const folder = await tempFolder();
  const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  await bundle({ driver: source }, join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  await symlink(modules, join(folder, 'node_modules'), 'junction');
  return join(folder, 'dist', 'driver.js');
}
