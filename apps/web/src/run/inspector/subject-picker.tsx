/** Which of several runs of a conversation, or the talk around them, is looked into. */
import type { RunView } from '@crewagent/protocol/run-view';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../../ui/foreign-text.ts';
import { Select } from '../../ui/forms/select.tsx';
import type { Inspected } from './use-inspected.ts';

export function SubjectPicker({ inspected: { view, choices, choose } }: { readonly inspected: Inspected }) {
  const { t } = useTranslation();
  if (choices.length < 2) return undefined;
  const labelOf = ({ nodes, workflow, phase, createdAt }: Readonly<RunView>): string =>
    [
      nodes.length === 0 ? t('inspector.talk') : toShownLine(workflow?.title ?? ''),
      t(`phase.${phase}`),
      ...(createdAt === undefined ? [] : [formatWhen(createdAt)]),
    ].join(' · ');
  return (
    <div className="shrink-0 px-3 pt-2 in-data-sheet:pe-11">
      <Select
        aria-label={t('inspector.choose')}
        value={view.runId}
        onChoose={choose}
        options={choices.map((choice) => ({ value: choice.id, label: labelOf(choice.view) }))}
      />
    </div>
  );
}
