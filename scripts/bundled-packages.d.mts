/** Notes the packages of all builds that get this plugin of rolldown and vite. */
export function createPackageNotes(): {
  readonly names: Set<string>;
  readonly plugin: import('rolldown').Plugin;
};

/** Path of the package below the root, such as `node_modules/zod`; undefined for sources of ours. */
export function packageOf(id: string): string | undefined;

/** Writes `web/licenses.json`, which page and command line show, and `sbom.cdx.json`. */
export function writeBundledPackages(dist: string, paths: readonly string[], beside: readonly string[]): void;
