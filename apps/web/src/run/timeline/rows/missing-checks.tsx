/** What a step lacks, and the person's decision to accept it without one of them, with a reason. */

import { type CheckKind, checkKindSchema, WAIT_CHECK, type WaiveRequest } from '@crewagent/protocol/proof';
import * as z from '@crewagent/protocol/zod';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';

interface MissingChecksProps {
  readonly missing: readonly MissingCheck[];
  /** Only while the run waits here. */
  readonly onWaive: ((waiver: WaiveRequest) => void) | undefined;
}

export function MissingChecks({ missing, onWaive }: MissingChecksProps) {
  const { t, i18n } = useTranslation();
  const language = i18n.language === 'en' ? undefined : 'en';
  return (
    <>
      <ul
        aria-label={t('proof.missing')}
        className="mt-1.5 flex flex-col divide-y rounded-lg border bg-surface"
      >
        {missing.map(({ id, name, kinds, issues }) => {
          const shown = name === undefined ? t('proof.yourAnswer') : toShownLine(name);
          return (
            <li key={id} className="flex flex-col gap-1 px-3 py-2">
              <p className="text-ink">
                <bdi className="font-medium">{shown}</bdi>
                <span className="text-ink-soft">
                  {' '}
                  · {kinds.map((kind) => t(`proof.unmet.${kind}`)).join(' · ')}
                </span>
              </p>
              {issues.map((issue) => (
                <p key={issue} lang={language} className="text-sm whitespace-pre-wrap text-ink-soft">
                  {toShownText(issue)}
                </p>
              ))}
              {onWaive ? (
                <Acceptance
                  label={t('proof.accept')}
                  of={shown}
                  onAccept={(reason) => onWaive({ check: id, reason })}
                />
              ) : undefined}
            </li>
          );
        })}
      </ul>
      {onWaive && missing.length > 1 ? (
        <div className="mt-1.5">
          <Acceptance label={t('proof.acceptAll')} onAccept={(reason) => onWaive({ reason })} />
        </div>
      ) : undefined}
    </>
  );
}

interface AcceptanceProps {
  readonly label: string;
  /** What it is about, for screen readers: several buttons have the same label. */
  readonly of?: string;
  readonly onAccept: (reason: string) => void;
}

/** A button that asks for the reason before it does anything. */
function Acceptance({ label, of, onAccept }: AcceptanceProps) {
  const { t } = useTranslation();
  const hint = useId();
  const [reason, setReason] = useState<string>();
  if (reason === undefined)
    return (
      <Button
        size="sm"
        className="self-start"
        aria-label={of && `${label} ${of}`}
        onClick={() => setReason('')}
      >
        {label}
      </Button>
    );
  const accept = (event: FormEvent): void => {
    event.preventDefault();
    if (reason.trim() !== '') onAccept(reason.trim());
  };
  return (
    <form onSubmit={accept} className="flex flex-col gap-1.5">
      <Input
        autoFocus
        required
        maxLength={MAX_REASON}
        aria-label={t('proof.reason')}
        aria-describedby={hint}
        placeholder={t('proof.reason')}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') setReason(undefined);
        }}
      />
      <p id={hint} className="text-xs text-ink-soft">
        {t('proof.reasonHint')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" type="submit" disabled={reason.trim() === ''}>
          {t('proof.confirm')}
        </Button>
        <Button size="sm" kind="quiet" onClick={() => setReason(undefined)}>
          {t('action.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** Of the endpoint. */
const MAX_REASON = 2_000;

/** What a step lacks, from the details of the reason why its run stopped; one entry for each thing that can be waived. */
interface MissingCheck {
  readonly id: string;
  /** The file or command; undefined for an answer of the person. */
  readonly name: string | undefined;
  readonly kinds: readonly CheckKind[];
  /** As the runtime told the model; empty if the kind says everything. */
  readonly issues: readonly string[];
}

const missingSchema = z.array(
  z.object({ id: z.string(), kind: checkKindSchema, path: z.optional(z.string()), message: z.string() }),
);
const consumesSchema = z.array(z.string());

export function missingIn(details: Readonly<Record<string, unknown>> | undefined): readonly MissingCheck[] {
  const consumed = consumesSchema.safeParse(details?.consumes).data ?? [];
  const found = new Map<string, MissingCheck>(
    consumed.map((path) => [path, { id: path, name: path, kinds: ['consumed'], issues: [] }]),
  );
  for (const { id, kind, path, message } of missingSchema.safeParse(details?.missing).data ?? []) {
    const known = found.get(id) ?? { id, name: nameOf(id, path), kinds: [], issues: [] };
    found.set(id, {
      ...known,
      kinds: [...new Set([...known.kinds, kind])],
      // What it says about waiting is meant for the model.
      issues: kind === 'wait' ? known.issues : [...known.issues, message],
    });
  }
  return [...found.values()];
}

function nameOf(id: string, path: string | undefined): string | undefined {
  if (id === WAIT_CHECK) return undefined;
  return (path ?? id).replace(/^@project\/|^verify: /, '');
}
