/** Tests that start the real command line, or open the real page, need them built from the sources under test. */
import { build } from './build.mjs';
import { buildWeb } from './build-web.mjs';

export default async function setup() {
  await build();
  await buildWeb();
}
