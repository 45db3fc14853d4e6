/** Next step after a model passed its test: return to the last conversation with that model, or start something new. */
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { useLastRoute } from '../navigation/last-route.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useAction } from '../ui/use-action.ts';

export function ModelReady({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  const { works } = useApi();
  const place = useLastRoute();
  const use = useAction(async (workId: string) => {
    await works.setModel({ workId, body: { model: name } });
    if (place) navigate(place);
  });
  if (!place) return undefined;
  return (
    <div className="flex flex-wrap gap-2">
      <ErrorNote issue={use.issue} />
      {place.name === 'work' ? (
        <Button kind="primary" isBusy={use.isBusy} onClick={() => use.run(place.workId)}>
          {t('models.useInConversation')}
        </Button>
      ) : undefined}
      <Button
        kind={place.name === 'work' ? 'plain' : 'primary'}
        onClick={() => navigate({ name: 'project', projectId: place.projectId })}
      >
        {t('models.start')}
      </Button>
    </div>
  );
}
