/** Installs packages from any source, with a success toast. Nothing that is open is rebound to another package. */
import '../../i18n/package-texts.ts';
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import type { ShownImport } from '@crewagent/protocol/api/imports';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { KEYS } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';

type Imported = Awaited<ReturnType<ApiClient['packages']['importPath']>>;

/** A path on the server's machine, an address, a name in an index, or a file of the browser. */
export type PackageSource = string | File;

/** What a person saw and accepted. */
interface Consent {
  readonly sha256: string | undefined;
  readonly acceptsSigner: boolean;
}

export function useInstalled() {
  const { packages, imports } = useApi();
  const queries = useQueryClient();
  const { t } = useTranslation();
  const keep = async (imported: Imported): Promise<string> => {
    await queries.invalidateQueries({ queryKey: KEYS.packages });
    return imported.package.hash;
  };
  const tell = async (imported: Imported): Promise<string> => {
    const hash = await keep(imported);
    const said = imported.alreadyInstalled ? 'packages.wasThere' : 'packages.installed';
    useToasts.getState().show(t(said, { name: toShownLine(toPackageTitle(imported.package)) }), {
      label: t('packages.show'),
      onChoose: () => navigate({ name: 'packages', hash }),
    });
    return hash;
  };
  return {
    /** Both return the hash of the installed package. */
    install: async (source: PackageSource, { sha256, acceptsSigner }: Consent): Promise<string> =>
      tell(
        typeof source === 'string'
          ? await packages.importPath({ body: { path: source, sha256, acceptsSigner } })
          : await packages.upload({
              query: { name: source.name, ...(acceptsSigner && { acceptsSigner: 'true' }) },
              body: source,
            }),
      ),
    /** Of a source that was converted. */
    installImport: async (importId: string): Promise<string> => tell(await imports.install({ importId })),
    installExample: async (example: string): Promise<string> =>
      tell(await packages.installExample({ example })),
    /** Without a toast, because the caller continues with the package immediately. */
    installToBegin: async (example: string): Promise<string> =>
      keep(await packages.installExample({ example })),
  };
}

interface Looked {
  readonly source: PackageSource;
  readonly inspected: InspectedPackage;
}

/** Inspects a file or folder before it is installed: as a package, else as a source of another tool that can be converted. */
export function useInspection() {
  const { packages, imports } = useApi();
  const [looked, setLooked] = useState<Looked>();
  const [staged, setStaged] = useState<ShownImport>();
  /** A file that is not a package may be a source of another tool. */
  const convert = async (
    source: PackageSource,
    { report }: InspectedPackage,
  ): Promise<ShownImport | undefined> => {
    if (typeof source === 'string' && /^(?:https?:|git\+|npm:)/.test(source)) return undefined;
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
