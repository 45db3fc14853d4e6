/** Tests that start the real command line need it built from the sources under test. */
import { build } from './build.mjs';

export default async function setup() {
  await build();
}
