/** Installs packages from any source, with a success toast. Nothing that is open is rebound to another package. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { KEYS } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

type Imported = Awaited<ReturnType<ApiClient['packages']['importPath']>>;

/** A path on the server's machine, or a file of the browser. */
export type PackageSource = string | File;

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
    useToasts.getState().show(t(said, { name: toShownLine(imported.package.name) }), {
      label: t('packages.show'),
      onChoose: () => navigate({ name: 'packages', hash }),
    });
    return hash;
  };
  return {
    /** Both return the hash of the installed package. */
    install: async (source: PackageSource): Promise<string> =>
      tell(
        typeof source === 'string'
          ? await packages.importPath({ body: { path: source } })
          : await packages.upload({ query: { name: source.name }, body: source }),
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
