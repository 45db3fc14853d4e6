/**
 * After a model passed its test, one button leads on: the model becomes the default, and one is back in the conversation one came
 * from, which uses it from then on; else where something is started, after choosing a folder where there is none yet.
 */
import { useEffect, useRef } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useLastRoute } from '../navigation/last-route.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { navigate } from '../navigation/router.ts';
import { useWantedFolder } from '../state/wanted-folder.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { hasLostFocus, useAction } from '../ui/use-action.ts';
import { useMakeDefault } from './use-save-model.ts';

export function ModelReady({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  const { works } = useApi();
  const { data: projects } = useProjects();
  const makeDefault = useMakeDefault();
  const last = useLastRoute();
  const start = useAction(async () => {
    await makeDefault(name);
    if (last?.name === 'work') await works.setModel({ workId: last.workId, body: { model: name } });
    const projectId = last?.projectId ?? projects?.find(({ exists }) => exists)?.projectId;
    if (last?.name === 'work') openInFront(last);
    else if (projectId !== undefined) openInFront({ name: 'project', projectId });
    else {
      useWantedFolder.setState({ isWanted: true });
      navigate({ name: 'start' });
    }
  });
  const button = useRef<HTMLButtonElement>(null);
  // The button that tested the model was disabled meanwhile, and has lost the focus.
  useEffect(() => {
    if (hasLostFocus()) button.current?.focus();
  }, []);
  return (
    <div className="flex flex-col gap-2">
      <ErrorNote issue={start.issue} />
      <Button
        ref={button}
        kind="primary"
        isBusy={start.isBusy}
        onClick={() => start.run()}
        className="self-start"
      >
        {t('models.saveAndStart')}
      </Button>
    </div>
  );
}
