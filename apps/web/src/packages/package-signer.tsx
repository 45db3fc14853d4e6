/** Who signed a package, compared with the signer before, and what a new version changes. */
import '../i18n/package-texts.ts';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import type { Signer } from '@crewagent/protocol/package-signature';
import { useTranslation } from '../i18n/use-translation.ts';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { Fact } from './package-about.tsx';

export function useSignerFact({ status, fingerprint = '', name, key }: Signer): Fact {
  const { t } = useTranslation();
  const by = name === undefined ? fingerprint : `${toShownLine(name)} · ${fingerprint}`;
  const isSigned = key !== undefined;
  return {
    name: t('packages.signer'),
    value: isSigned
      ? `${by}${status === 'new' ? ` (${t('packages.signerNew')})` : ''}`
      : t('packages.unsigned'),
    title: key,
  };
}

/** Whether a person has to accept the signer first. */
export function isOtherSigner(signer: Signer | undefined): boolean {
  return signer?.status === 'changed' || signer?.status === 'missing';
}

interface SignerWarningProps {
  readonly signer: Signer;
  readonly isAccepted: boolean;
  readonly onAccept: (isAccepted: boolean) => void;
}

export function SignerWarning({ signer, isAccepted, onAccept }: SignerWarningProps) {
  const { t } = useTranslation();
  const { fingerprint = '', before = '', status } = signer;
  return (
    <Note
      level="error"
      title={t(status === 'changed' ? 'packages.signerChanged' : 'packages.signerMissing')}
      advice={t('packages.signerAdvice')}
      actions={<Checkbox label={t('packages.acceptSigner')} isChecked={isAccepted} onChange={onAccept} />}
    >
      {status === 'changed'
        ? t('packages.signerChangedText', { fingerprint, before })
        : t('packages.signerMissingText', { before })}
    </Note>
  );
}

const MAX_NAMES = 12;

/** Workflows, steps and agents by name, each kind of change on a line. */
export function Changes({ changes: { from, to, workflows, agents } }: { readonly changes: PackageChanges }) {
  const { t } = useTranslation();
  const nodes = workflows.changed.map((workflow) => workflow.nodes);
  const kinds = {
    added: [workflows.added, agents.added, ...nodes.map(({ added }) => added)].flat(),
    removed: [workflows.removed, agents.removed, ...nodes.map(({ removed }) => removed)].flat(),
    changed: [
      agents.changed,
      ...nodes.map(({ changed, renamed }) => [...changed, ...renamed.map((node) => node.to)]),
    ].flat(),
  };
  const lines = (['added', 'removed', 'changed'] as const).filter((kind) => kinds[kind].length > 0);
  return (
    <section aria-label={t('packages.changes')}>
      <h2 className="mb-1.5 font-semibold">
        {t('packages.changesOf', { from: toShownLine(from), to: toShownLine(to) })}
      </h2>
      {lines.length === 0 ? <p className="text-ink-soft">{t('packages.changesNone')}</p> : undefined}
      <ul className="flex flex-col gap-1">
        {lines.map((kind) => (
          <li key={kind} className="wrap-anywhere">
            <span className="text-ink-faint">{t(`packages.changeKinds.${kind}`)}: </span>
            {kinds[kind].slice(0, MAX_NAMES).map(toShownLine).join(', ')}
            {kinds[kind].length > MAX_NAMES ? ` … +${kinds[kind].length - MAX_NAMES}` : ''}
          </li>
        ))}
      </ul>
    </section>
  );
}
