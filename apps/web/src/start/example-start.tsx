/** Starts the example: in which folder, shown beside the button and changeable, and with which model. */
import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { create } from 'zustand';
import { useApi } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { useExamples, useFolders, useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { useInstalled } from '../packages/install/use-installed.ts';
import { EXAMPLE_FOLDER, joinFolder } from '../projects/folder-names.ts';
import { LazyFolderDialog } from '../projects/relink-dialog.tsx';
import { useOpenProject } from '../projects/use-project-actions.ts';
import { useOffers } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface Folder {
  readonly path: string;
  /** It is created if it is missing. */
  readonly isNew: boolean;
}

/** The folder that a person chose; both places that start the example use it. */
const useChosenFolder = create<{ readonly chosen: Folder | undefined }>(() => ({ chosen: undefined }));

/** From the press of its button until the screen is left: what it starts is not to appear on this screen first and move it. */
export const useStartingExample = create<{ readonly isStarting: boolean }>(() => ({ isStarting: false }));

/** Short, asks a few questions and writes a file, in each language; any other example if none of these is bundled. */
const FIRST_EXAMPLES: readonly string[] = ['hello-branch', 'hello-branch-zh'];

/** What would be started; undefined while loading, or if no example is bundled. */
export function useExampleStart() {
  const client = useApi();
  const { data: examples, isPending } = useExamples();
  const { data: projects } = useProjects();
  const { data: home } = useFolders(undefined, useOffers('folders.list') && projects?.length === 0);
  const { chosen } = useChosenFolder();
  const { installToBegin } = useInstalled();
  const openProject = useOpenProject();
  const example = examples?.find((known) => FIRST_EXAMPLES.includes(known.example)) ?? examples?.[0];
  const latest = projects?.find(({ exists }) => exists);
  const proposed: Folder | undefined = latest
    ? { path: latest.path, isNew: false }
    : home && { path: joinFolder(home.path, EXAMPLE_FOLDER), isNew: true };
  const folder = chosen ?? proposed;
  const start = async (model?: string): Promise<void> => {
    if (!example || !folder) return;
    useStartingExample.setState({ isStarting: true });
    try {
      const projectId = await openProject(folder.path, folder.isNew);
      const packageHash = await installToBegin(example.example);
      const status = await client.works.create({ body: { projectId, kind: 'workflow', packageHash, model } });
      mustBeAccepted(status);
      openInFront({ name: 'work', projectId, workId: status.workId });
    } catch (error) {
      useStartingExample.setState({ isStarting: false });
      throw error;
    }
  };
  return { example, folder, isLoading: isPending || !projects, start };
}

/** The folder that the example works in, and a button to change it. */
export function ExampleFolder({ folder }: { readonly folder: Folder | undefined }) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <div className="flex min-w-0 items-center gap-2 text-sm text-ink-soft">
      <FolderOpen className="size-4 shrink-0 text-ink-faint" />
      <span className="shrink-0">{t('try.folder')}</span>
      {/* The end of a path says more than its beginning. */}
      <span dir="rtl" title={folder && toShownLine(folder.path)} className="min-w-0 truncate text-sm">
        <bdi dir="ltr">{folder ? toShownLine(folder.path) : '…'}</bdi>
      </span>
      <Button size="sm" kind="quiet" aria-label={t('try.changeFolder')} onClick={() => setChoosing(true)}>
        {t('try.change')}
      </Button>
      {isChoosing ? (
        <LazyFolderDialog
          purpose="example"
          onClose={() => setChoosing(false)}
          onChoose={{
            isBusy: false,
            issue: undefined,
            forget: () => undefined,
            run: (path: string, isNew = false) => {
              useChosenFolder.setState({ chosen: { path, isNew } });
              setChoosing(false);
            },
          }}
        />
      ) : undefined}
    </div>
  );
}
