/** Tools of an MCP server, each with a switch. */
import type { ServerTool } from '@crewagent/protocol/mcp';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Fold } from '../../ui/fold.tsx';
import { Switch } from '../../ui/forms/checkbox.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface ServerToolsProps {
  readonly tools: readonly ServerTool[];
  /** Names of the disabled tools, as the server names them. */
  readonly disabled: readonly string[];
  readonly isFixed: boolean;
  readonly onChange: (disabled: string[]) => void;
}

export function ServerTools({ tools, disabled, isFixed, onChange }: ServerToolsProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const toggle = (ownName: string, isOn: boolean): void => {
    const others = disabled.filter((name) => name !== ownName);
    onChange(isOn ? others : [...others, ownName]);
  };
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={t('servers.tools', { count: tools.length })}
    >
      {() => (
        <ul className="flex flex-col gap-2">
          {tools.map(({ name, ownName, description, isReadOnly }) => (
            <li key={name}>
              <Switch
                label={
                  <span className="flex flex-wrap items-center gap-2">
                    <code className="font-mono text-sm wrap-anywhere">{toShownLine(ownName)}</code>
                    {isReadOnly ? <Badge>{t('servers.readOnly')}</Badge> : undefined}
                  </span>
                }
                isOn={!disabled.includes(ownName)}
                isDisabled={isFixed}
                onChange={(isOn) => toggle(ownName, isOn)}
              />
              <p className="max-w-lg text-sm text-ink-faint wrap-anywhere">
                {toShownLine(description.split('\n', 1)[0] ?? '')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
