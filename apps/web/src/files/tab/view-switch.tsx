/** How a file is looked at: one of a few, side by side. */
import { ToggleGroup } from 'radix-ui';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { FileView } from './file-views.ts';

interface ViewSwitchProps {
  readonly views: readonly FileView[];
  readonly view: FileView;
  readonly onView: (view: FileView) => void;
}

export function ViewSwitch({ views, view, onView }: ViewSwitchProps) {
  const { t } = useTranslation();
  return (
    <ToggleGroup.Root
      type="single"
      value={view}
      aria-label={t('files.views.label')}
      // Pressing the chosen one again changes nothing.
      onValueChange={(next) => next !== '' && onView(next as FileView)}
      className="flex h-6.5 items-center rounded-md bg-hover p-0.5 pointer-coarse:h-11"
    >
      {views.map((each) => (
        <ToggleGroup.Item
          key={each}
          value={each}
          className="h-full rounded-sm px-2 text-sm font-medium text-ink-soft hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-raised"
        >
          {t(`files.views.${each}`)}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
