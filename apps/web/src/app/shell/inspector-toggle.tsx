/** Shows or hides the shell's inspector. */
import { PanelRight } from 'lucide-react';
import { createContext, useContext, useEffect } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useNodeFocus } from '../../state/node-focus.ts';
import { IconButton } from '../../ui/button.tsx';

export interface InspectorState {
  /** The inspector is visible. */
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly show: () => void;
}

export const InspectorContext = createContext<InspectorState>({
  isOpen: false,
  toggle: () => undefined,
  show: () => undefined,
});

export function InspectorToggle() {
  const { t } = useTranslation();
  const { isOpen, toggle, show } = useContext(InspectorContext);
  const isWanted = useNodeFocus(({ nodeId }) => nodeId !== undefined);
  useEffect(() => {
    if (isWanted) show();
  }, [isWanted, show]);
  return (
    <IconButton
      label={t('inspector.toggle')}
      shortcut="Mod+I"
      side="bottom"
      isPressed={isOpen}
      onClick={toggle}
    >
      <PanelRight />
    </IconButton>
  );
}
