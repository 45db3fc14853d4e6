/** An installed package with the texts of its steps, to be compared with another version. */
import type { ValidationContext } from '../../bmad/check/validate-package.ts';
import { type PackageVersion, toPackageVersion } from '../../bmad/compare-packages.ts';
import type { UserStore } from '../../store/store.ts';
import { loadInstalled } from '../load-workflow.ts';

export async function loadInstalledVersion(
  hash: string,
  store: UserStore,
  context: ValidationContext,
): Promise<PackageVersion> {
  const loaded = await loadInstalled(hash, store, context);
  const seal = await store.packages.seal(hash);
  return toPackageVersion(loaded, (path) => Promise.resolve(seal.read(path)));
}
