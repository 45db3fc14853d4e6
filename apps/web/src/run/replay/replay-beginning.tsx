/** A moment of a replay before anything happened. */
import { History } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

export default function ReplayBeginning() {
  const { t } = useTranslation();
  return (
    <EmptyState icon={<History />} title={t('replay.beginning')}>
      {t('replay.beginningText')}
    </EmptyState>
  );
}
