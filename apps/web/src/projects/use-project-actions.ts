/** Project actions: open, relink, forget. */
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { forgetFiles } from '../api/files-queries.ts';
import { KEYS } from '../api/queries.ts';
import { SETTINGS_KEYS } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { forgetRouteIn } from '../navigation/last-route.ts';
import { navigate } from '../navigation/router.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

/** Opens a folder, creating it first if `isNew`, and returns the project's id. */
export function useOpenProject(): (path: string, isNew?: boolean) => Promise<string> {
  const client = useApi();
  const queries = useQueryClient();
  return async (path, isNew = false) => {
    const { projectId } = await client.projects.open({ body: { path, create: isNew } });
    await queries.invalidateQueries({ queryKey: KEYS.projects });
    return projectId;
  };
}

/** Opens a folder and navigates to its project. */
export function useGoToFolder() {
  const open = useOpenProject();
  return useAction(async (path: string, isNew?: boolean) => {
    navigate({ name: 'project', projectId: await open(path, isNew) });
  });
}

export function useRelinkProject(projectId: string, onDone: () => void) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  return useAction(async (path: string) => {
    const { name } = await client.projects.relink({ projectId, body: { path } });
    // Files that could not be read before may be readable now.
    forgetFiles(queries, projectId);
    await queries.invalidateQueries({ queryKey: KEYS.projects });
    useToasts.getState().show(t('projects.relinked', { name: toShownLine(name) }));
    onDone();
  });
}

export function useForgetProject(projectId: string) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  return useAction(async () => {
    await client.projects.forget({ projectId });
    forgetRouteIn(projectId);
    await Promise.all([
      queries.invalidateQueries({ queryKey: KEYS.projects }),
      queries.invalidateQueries({ queryKey: SETTINGS_KEYS.storage }),
    ]);
    useToasts.getState().show(t('projects.forgotten'));
  });
}
