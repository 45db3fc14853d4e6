/** The menu of an agent: items with a trigger, a description and what they run. Other keys of an item are kept. */
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { CommittedText } from './committed.tsx';

type Item = Readonly<Record<string, unknown>>;

interface MenuFormProps {
  readonly menu: readonly Item[];
  /** Paths of the workflows that an item can start. */
  readonly workflows: readonly string[];
  readonly onChange: (menu: readonly Item[]) => void;
}

/** Keys that say what an item runs. */
const TARGETS = ['workflow', 'exec', 'action'] as const;

export function MenuForm({ menu, workflows, onChange }: MenuFormProps) {
  const { t } = useTranslation();
  const set = (index: number, fields: Item): void =>
    onChange(
      menu.map((item, at) =>
        at === index
          ? Object.fromEntries(
              Object.entries({ ...item, ...fields }).filter(([, value]) => value !== undefined),
            )
          : item,
      ),
    );
  const move = (index: number, by: number): void => {
    const item = menu[index];
    if (item) onChange(menu.toSpliced(index, 1).toSpliced(index + by, 0, item));
  };
  return (
    <section aria-label={t('author.menu')} className="flex flex-col gap-3">
      <div className="flex items-center">
        <h2 className="grow font-medium">{t('author.menu')}</h2>
        <Button
          size="sm"
          icon={<Plus className="size-3.5" />}
          onClick={() =>
            onChange([
              ...menu,
              {
                trigger: `item-${menu.length + 1}`,
                description: t('author.newItem'),
                workflow: workflows[0],
              },
            ])
          }
        >
          {t('author.addItem')}
        </Button>
      </div>
      {menu.map((item, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name
          key={index}
          aria-label={t('author.item', { number: index + 1 })}
          className="flex flex-col gap-2 rounded-lg border p-3"
        >
          <div className="flex justify-end gap-0.5">
            <IconButton
              size="sm"
              label={t('author.moveUp')}
              disabled={index === 0}
              onClick={() => move(index, -1)}
            >
              <ArrowUp />
            </IconButton>
            <IconButton
              size="sm"
              label={t('author.moveDown')}
              disabled={index === menu.length - 1}
              onClick={() => move(index, 1)}
            >
              <ArrowDown />
            </IconButton>
            <IconButton
              size="sm"
              label={t('author.removeItem')}
              onClick={() => onChange(menu.filter((_, at) => at !== index))}
            >
              <Trash2 />
            </IconButton>
          </div>
          <CommittedText
            label={t('author.trigger')}
            isMono
            value={toText(item.trigger)}
            onCommit={(trigger) => set(index, { trigger: trigger.trim() || undefined })}
          />
          <CommittedText
            label={t('author.description')}
            value={toText(item.description)}
            onCommit={(description) => set(index, { description: description.trim() })}
          />
          <TargetFields item={item} onChange={(fields) => set(index, fields)} />
        </fieldset>
      ))}
    </section>
  );
}

function TargetFields({
  item,
  onChange,
}: {
  readonly item: Item;
  readonly onChange: (fields: Item) => void;
}) {
  const { t } = useTranslation();
  const target = TARGETS.find((key) => item[key] !== undefined) ?? 'workflow';
  const value = toText(item[target]);
  return (
    <div className="flex gap-2">
      <div className="w-36 shrink-0">
        <SelectField
          label={t('author.runs')}
          value={target}
          onChoose={(next) => onChange({ [target]: undefined, [next]: value })}
          options={TARGETS.map((key) => ({ value: key, label: t(`author.targets.${key}`) }))}
        />
      </div>
      <div className="min-w-0 grow">
        <CommittedText
          label={t(`author.targetHints.${target}`)}
          isMono
          value={value}
          onCommit={(text) => onChange({ [target]: text.trim() || undefined })}
        />
      </div>
    </div>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
