/** The commands that a person can type. */
import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import type { en } from '../../../i18n/texts/en/en.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';

const NAMES = [...GLOBAL_COMMANDS.keys()].filter(
  (name) => name !== 'exit',
) as readonly (keyof typeof en.command)[];

export function Help() {
  const { t } = useTranslation();
  return (
    <dl className="my-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border px-3.5 py-3">
      {NAMES.map((name) => (
        <div key={name} className="contents">
          <dt className="font-mono text-sm">/{name}</dt>
          <dd className="text-ink-soft">{t(`command.${name}`)}</dd>
        </div>
      ))}
    </dl>
  );
}
