/** Whom a message is for, and how the composer says it. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';

export interface WordsProps {
  readonly isRunning: boolean;
  /** Title of the node that receives the message. */
  readonly forNode?: string | undefined;
}

/** `above` is visible also while there is text. */
export function useComposerWords({ forNode, isRunning }: WordsProps) {
  const { t } = useTranslation();
  return {
    above: forNode === undefined ? undefined : t('composer.forNode', { node: toShownLine(forNode) }),
    placeholder: t(isRunning ? 'composer.whileRunning' : 'composer.placeholder'),
  };
}
