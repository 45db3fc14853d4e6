/** Inspects a file or folder before it is installed: as a package, else as a source of another tool that can be converted. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { ShownImport } from '@crewagent/protocol/api/imports';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useAction } from '../ui/use-action.ts';
import type { PackageSource } from './use-installed.ts';

interface Looked {
  readonly source: PackageSource;
  readonly inspected: InspectedPackage;
}

export function useInspection() {
  const { packages, imports } = useApi();
  const [looked, setLooked] = useState<Looked>();
  const [staged, setStaged] = useState<ShownImport>();
  /** A file that is not a package may be a source of another tool. */
  const convert = async (
    source: PackageSource,
    { report }: InspectedPackage,
  ): Promise<ShownImport | undefined> => {
    try {
      return typeof source === 'string'
        ? await imports.openPath({ body: { path: source } })
        : await imports.upload({ query: { name: source.name }, body: source });
    } catch (error) {
      const isNothing = error instanceof ApiError && error.code === 'USAGE';
      if (isNothing && !report.errors.every(({ code }) => code === 'NOT_A_PACKAGE')) return undefined;
      throw error;
    }
  };
  const look = useAction(async (given: PackageSource | Promise<File>) => {
    const source = await given;
    const inspected =
      typeof source === 'string'
        ? await packages.inspect({ body: { path: source } })
        : await packages.inspectUpload({ query: { name: source.name }, body: source });
    const converted = isNoPackage(inspected) ? await convert(source, inspected) : undefined;
    if (converted) setStaged(converted);
    else setLooked({ source, inspected });
  });
  const clear = (): void => {
    setLooked(undefined);
    setStaged(undefined);
  };
  return { look, looked, staged, clear };
}

/** There is nothing of a package in it; a damaged package stays one. */
function isNoPackage({ report, contents }: InspectedPackage): boolean {
  if (report.ok || contents) return false;
  return report.errors.some(({ code }) => CONVERTIBLE.has(code));
}

/** The last ones reject a package as a whole; of a source, such entries are left out and reported. */
const CONVERTIBLE: ReadonlySet<string> = new Set([
  'NOT_A_PACKAGE',
  'CLASSIC_BMAD',
  'TOO_MANY_ENTRIES',
  'ENTRY_NAME_UNSAFE',
  'ENTRY_IS_LINK',
  'ENTRY_IS_SPECIAL',
  'ENTRY_DUPLICATE',
  'ENTRY_CLASH',
  'ENTRY_ENCRYPTED',
  'ENTRY_METHOD_UNKNOWN',
  'FILE_TOO_LARGE',
  'PACKAGE_TOO_LARGE',
  'RATIO_TOO_HIGH',
]);
