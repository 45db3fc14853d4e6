/** Chooses the model for the next turns: one of the settings, or the rehearsal. */
import type { RunModel } from '@crewagent/protocol/model';
import { Cpu } from 'lucide-react';
import { useModels } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { nameOfModel } from '../../models/answering-model.ts';
import { ModelSearch } from '../../models/model-list.tsx';
import { navigate } from '../../navigation/router.ts';
import { useAskedModel } from '../../state/asked-model.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { ChoiceMark, Picker, PickerButton } from './picker.tsx';

interface ModelPickerProps {
  readonly model: RunModel | undefined;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (name: string) => void;
}

export function ModelPicker({ model, isRunning, isBusy, onChoose }: ModelPickerProps) {
  const { t } = useTranslation();
  const { data } = useModels();
  const { isAsked, setAsked } = useAskedModel(model !== undefined);
  if (!model) return undefined;
  const chosen = nameOfModel(model);
  // The rehearsal is always available.
  const names = [...new Set([...(data?.models ?? []).map(({ name }) => name), 'rehearsal'])];
  const labelOf = (name: string): string => (name === 'rehearsal' ? t('model.rehearsal') : toShownLine(name));
  const button = {
    label: t('model.title'),
    icon: <Cpu aria-hidden="true" className="size-3.5 shrink-0" />,
    chosen: chosen === 'rehearsal' ? t('composer.rehearsal') : labelOf(chosen),
    isBusy,
  };
  const openSettings = (): void => navigate({ name: 'settings', section: 'model' });
  if (names.length >= MIN_FOR_SEARCH && !isRunning)
    return (
      <Popover
        label={button.label}
        side="top"
        align="start"
        isOpen={isAsked}
        onOpenChange={setAsked}
        trigger={<PickerButton {...button} />}
      >
        <ModelSearch
          label={button.label}
          models={names.map((id) => ({ id, name: labelOf(id) }))}
          current={chosen}
          onChoose={({ id }) => {
            setAsked(false);
            if (id !== chosen) onChoose(id);
          }}
          onClose={() => setAsked(false)}
        />
        <Button kind="quiet" size="sm" onClick={openSettings} className="mt-1.5">
          {t('composer.moreModels')}
        </Button>
      </Popover>
    );
  return (
    <Picker
      {...button}
      opening={{ isOpen: isAsked, onChange: setAsked }}
      items={[
        ...names.map((name) => ({
          id: name,
          label: labelOf(name),
          icon: <ChoiceMark isChosen={name === chosen} />,
          // Not during a turn.
          isDisabled: isRunning || name === chosen,
          onChoose: () => onChoose(name),
        })),
        'separator' as const,
        {
          id: 'settings',
          label: t('composer.moreModels'),
          icon: <ChoiceMark isChosen={false} />,
          onChoose: openSettings,
        },
      ]}
    />
  );
}

/** A shorter list is a menu. */
const MIN_FOR_SEARCH = 8;
