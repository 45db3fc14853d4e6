/** Builds the condition of an edge from rows of variable, operator and value; as JSON where it does not fit. */
import type { AuthorEdge } from '@crewagent/protocol/author';
import { parseObject } from '@crewagent/protocol/json-object';
import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input, Select, Textarea } from '../ui/forms/input.tsx';
import {
  type Condition,
  type ConditionRow,
  hasValue,
  OPERATORS,
  toCondition,
  toConditionText,
  toExpression,
} from './condition-rows.ts';

interface ConditionBuilderProps {
  readonly edge: AuthorEdge;
  readonly variables: readonly string[];
  readonly onChange: (fields: {
    conditionExpr: Record<string, unknown> | null;
    conditionText?: string | null;
  }) => void;
}

export function ConditionBuilder({ edge, variables, onChange }: ConditionBuilderProps) {
  const { t } = useTranslation();
  const known = toCondition(edge.conditionExpr);
  const [condition, setCondition] = useState(known);
  const [isRaw, setRaw] = useState(known === undefined);
  const written = JSON.stringify(edge.conditionExpr);
  const [shown, setShown] = useState(written);
  // Changed elsewhere: what was typed here is applied when a field is left.
  if (shown !== written) {
    setShown(written);
    if (!condition || JSON.stringify(toExpression(condition)) !== written) setCondition(known);
  }
  const apply = (next: Condition): void => {
    const expression = toExpression(next) ?? null;
    if (JSON.stringify(expression ?? undefined) === written) return;
    // The sentence for readers follows, unless somebody wrote another one.
    const isOwn = !edge.conditionText || (known && edge.conditionText === toConditionText(known));
    onChange({
      conditionExpr: expression,
      ...(isOwn ? { conditionText: toConditionText(next) || null } : {}),
    });
  };
  return (
    <section aria-label={t('author.condition')} className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h2 className="grow text-sm font-medium">{t('author.condition')}</h2>
        <Button size="sm" kind="quiet" disabled={isRaw && !known} onClick={() => setRaw(!isRaw)}>
          {t(isRaw ? 'author.asRows' : 'author.asJson')}
        </Button>
      </div>
      {isRaw || !condition ? (
        <RawCondition key={written} edge={edge} onChange={(conditionExpr) => onChange({ conditionExpr })} />
      ) : (
        <Rows condition={condition} variables={variables} onType={setCondition} onApply={apply} />
      )}
    </section>
  );
}

interface RowsProps {
  readonly condition: Condition;
  readonly variables: readonly string[];
  readonly onType: (condition: Condition) => void;
  readonly onApply: (condition: Condition) => void;
}

function Rows({ condition, variables, onType, onApply }: RowsProps) {
  const { t } = useTranslation();
  const names = useId();
  const { joiner, rows } = condition;
  const withRow = (index: number, fields: Partial<ConditionRow>): Condition => ({
    joiner,
    rows: rows.map((row, at) => (at === index ? { ...row, ...fields } : row)),
  });
  const change = (next: Condition): void => {
    onType(next);
    onApply(next);
  };
  return (
    <>
      <datalist id={names}>
        {variables.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.length > 1 ? (
        <Select
          aria-label={t('author.joiner')}
          value={joiner}
          onChoose={(next) => change({ rows, joiner: next === 'or' ? 'or' : 'and' })}
          options={(['and', 'or'] as const).map((one) => ({ value: one, label: t(`author.join.${one}`) }))}
        />
      ) : undefined}
      {rows.map((row, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name
          key={index}
          aria-label={t('author.row', { number: index + 1 })}
          className="flex gap-1.5"
        >
          <Input
            aria-label={t('author.variable')}
            placeholder={t('author.variable')}
            list={names}
            className="font-mono"
            spellCheck={false}
            value={row.variable}
            onChange={(event) => onType(withRow(index, { variable: event.target.value.trim() }))}
            onBlur={() => onApply(condition)}
          />
          <Select
            aria-label={t('author.operator')}
            className="w-32! shrink-0"
            value={row.operator}
            onChoose={(next) =>
              change(withRow(index, { operator: OPERATORS.find((one) => one === next) ?? '==' }))
            }
            options={OPERATORS.map((one) => ({ value: one, label: t(`author.operators.${one}`) }))}
          />
          {hasValue(row.operator) ? (
            <Input
              aria-label={t('author.value')}
              placeholder={t('author.value')}
              spellCheck={false}
              value={row.value}
              onChange={(event) => onType(withRow(index, { value: event.target.value }))}
              onBlur={() => onApply(condition)}
            />
          ) : undefined}
          <IconButton
            label={t('author.removeRow')}
            onClick={() => change({ joiner, rows: rows.filter((_, at) => at !== index) })}
          >
            <Trash2 />
          </IconButton>
        </fieldset>
      ))}
      <div>
        <Button
          size="sm"
          icon={<Plus className="size-3.5" />}
          onClick={() => onType({ joiner, rows: [...rows, { variable: '', operator: '==', value: '' }] })}
        >
          {t('author.addRow')}
        </Button>
      </div>
    </>
  );
}

interface RawConditionProps {
  readonly edge: AuthorEdge;
  readonly onChange: (expression: Record<string, unknown> | null) => void;
}

function RawCondition({ edge: { conditionExpr }, onChange }: RawConditionProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(conditionExpr ? JSON.stringify(conditionExpr, undefined, 2) : '');
  const parsed = parseExpression(text);
  return (
    <Field label={t('author.json')} issue={parsed === undefined ? t('author.jsonInvalid') : undefined}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={4}
          className="font-mono text-sm"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() =>
            parsed !== undefined &&
            JSON.stringify(parsed ?? undefined) !== JSON.stringify(conditionExpr) &&
            onChange(parsed)
          }
        />
      )}
    </Field>
  );
}

/** Null for no condition; undefined if the text is not a JSON object. */
function parseExpression(text: string): Record<string, unknown> | null | undefined {
  return text.trim() === '' ? null : parseObject(text);
}
