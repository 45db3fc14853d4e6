/** Starts an example: which one, in which folder, both shown beside the button and changeable, and with which model. */

import type { ShownExample } from '@crewagent/protocol/api/packages';
import { languageOfExample } from '@crewagent/protocol/languages';
import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { create } from 'zustand';
import { useApi } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { useExamples, useFolders, useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { useInstalled } from '../packages/install/use-installed.ts';
import { EXAMPLE_FOLDER, folderNameOf, joinFolder } from '../projects/folder-names.ts';
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

interface Choice {
  readonly folder?: Folder;
  /** Name of an example. */
  readonly example?: string;
}

/** What a person chose; both places that start an example use it. */
const useChoice = create<Choice>(() => ({}));

export const chooseExample = (example: string): void => useChoice.setState({ example });

/** From the press of its button until the screen is left: what it starts is not to appear on this screen first and move it. */
export const useStartingExample = create<{ readonly isStarting: boolean }>(() => ({ isStarting: false }));

/** Takes a minute, asks a few questions and writes a file, in each language; any other example if none of these is bundled. */
const FIRST_EXAMPLES: readonly string[] = ['hello-branch', 'hello-branch-zh'];

/** The short one, then the methods for everyday work, in the language of the page. */
function toChoices(examples: readonly ShownExample[], language: string): ShownExample[] {
  const first = examples.find(({ example }) => FIRST_EXAMPLES.includes(example)) ?? examples[0];
  const methods = examples.filter(
    ({ example, isMethod }) =>
      isMethod && languageOfExample(example) === language && example !== first?.example,
  );
  return first ? [first, ...methods] : [];
}

/** What would be started; undefined while loading, or if no example is bundled. */
export function useExampleStart() {
  const client = useApi();
  const { data: examples, isPending } = useExamples();
  const { data: projects } = useProjects();
  const { data: home } = useFolders(undefined, useOffers('folders.list') && projects?.length === 0);
  const choice = useChoice();
  const { i18n } = useTranslation();
  const { installToBegin } = useInstalled();
  const openProject = useOpenProject();
  const choices = toChoices(examples ?? [], i18n.language);
  const example = choices.find((known) => known.example === choice.example) ?? choices[0];
  const latest = projects?.find(({ exists }) => exists);
  const proposed: Folder | undefined = latest
    ? { path: latest.path, isNew: false }
    : home && { path: joinFolder(home.path, EXAMPLE_FOLDER), isNew: true };
  const folder = choice.folder ?? proposed;
  // Nobody else's documents in a folder with work in it.
  const hasSamples = example?.isMethod === true && folder !== undefined && isForExamples(folder);
  const start = async (model?: string): Promise<void> => {
    if (!example || !folder) return;
    useStartingExample.setState({ isStarting: true });
    try {
      const projectId = await openProject(folder.path, folder.isNew);
      const packageHash = await installToBegin(example.example);
      if (hasSamples) await client.files.addSamples({ projectId, body: { packageHash } });
      const status = await client.works.create({ body: { projectId, kind: 'workflow', packageHash, model } });
      mustBeAccepted(status);
      openInFront({ name: 'work', projectId, workId: status.workId });
    } catch (error) {
      useStartingExample.setState({ isStarting: false });
      throw error;
    }
  };
  return { choices, example, folder, hasSamples, isLoading: isPending || !projects, start };
}

/** Created for the example, now or before. */
function isForExamples({ path, isNew }: Folder): boolean {
  return isNew || folderNameOf(path) === EXAMPLE_FOLDER;
}

interface ExampleFolderProps {
  readonly folder: Folder | undefined;
  readonly hasSamples: boolean;
}

/** The folder that the example works in, and a button to change it. */
export function ExampleFolder({ folder, hasSamples }: ExampleFolderProps) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <div className="flex min-w-0 items-center gap-2 text-sm text-ink-soft">
      <FolderOpen className="size-4 shrink-0 text-ink-faint" />
      <span className="shrink-0">{t(hasSamples ? 'try.folderWithSamples' : 'try.folder')}</span>
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
              useChoice.setState({ folder: { path, isNew } });
              setChoosing(false);
            },
          }}
        />
      ) : undefined}
    </div>
  );
}
