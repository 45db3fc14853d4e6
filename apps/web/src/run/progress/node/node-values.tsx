/** The variables a node sets, with their current values. */
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import type { NodeProgress } from '../to-progress.ts';
import { NodePart } from './node-part.tsx';

interface NodeValuesProps {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly progress: NodeProgress;
}

export function NodeValues({ names, values, progress }: NodeValuesProps) {
  const { t } = useTranslation();
  if (names.length === 0) return undefined;
  const unset = progress === 'notNeeded' ? 'inspector.node.isNotNeeded' : 'inspector.node.isUnset';
  return (
    <NodePart title={t('inspector.node.values')}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
        {names.map((name) => (
          <div key={name} className="contents">
            <dt className="font-mono text-ink-faint">{toShownLine(name)}</dt>
            <dd className="wrap-anywhere">
              {Object.hasOwn(values, name) ? (
                <span className="font-mono">{shorten(toShownText(JSON.stringify(values[name]) ?? ''))}</span>
              ) : (
                <span className="text-ink-faint">{t(unset)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </NodePart>
  );
}

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
