/** Builds the command line and the page, which some tests start, from the sources under test. */
import { build } from './build.mjs';
import { buildWeb } from './build-web.mjs';

export default async function setup() {
  await build();
  await buildWeb();
}
