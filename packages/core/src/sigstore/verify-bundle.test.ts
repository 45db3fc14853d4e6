import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { type Bundle, createAuthority, IDENTITY, ISSUER } from '../testing/sigstore-authority.ts';
import { parseTrustRoot, verifyBundle } from './verify-bundle.ts';

const FILE = Buffer.from('the bytes of a package');
const authority = createAuthority();

const verify = (bundle: unknown, file = FILE, root: Record<string, unknown> = authority.trustRoot): string =>
  verifyBundle(typeof bundle === 'string' ? bundle : JSON.stringify(bundle), file, root);

function reasonOf(verifying: () => string): string {
  try {
    return `accepted: ${verifying()}`;
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'SIGSTORE_INVALID') throw error;
    return error.message;
  }
}

/** A bundle with one part changed. */
function bent(change: (bundle: Bundle, entry: Record<string, unknown>) => void): Bundle {
  const bundle = structuredClone(authority.bundle(FILE));
  change(bundle, bundle.verificationMaterial.tlogEntries[0] ?? {});
  return bundle;
}

describe('a Sigstore bundle', () => {
  it.each(['0.1', '0.2', '0.3'] as const)('of version %s says who signed the file', (version) => {
    expect(verify(authority.bundle(FILE, { version }))).toBe(`sigstore:${ISSUER} ${IDENTITY}`);
  });

  it.each([
    ['refs/tags/v1.2.0', 'refs/tags/*'],
    ['refs/heads/main', 'refs/heads/main'],
    ['refs/pull/7/merge', 'refs/pull/7/merge'],
  ])('may be a statement about the file, and name a workflow that ran for %s', (ref, shown) => {
    const workflow = 'https://github.com/acme/story/.github/workflows/release.yml';
    const issuer = 'https://token.actions.githubusercontent.com';
    expect(
      verify(authority.bundle(FILE, { isAttestation: true, identity: `${workflow}@${ref}`, issuer })),
    ).toBe(`sigstore:${issuer} ${workflow}@${shown}`);
  });

  it.each([true, false])('is refused for another file (statement: %s)', (isAttestation) => {
    const bundle = authority.bundle(FILE, { isAttestation });
    expect(reasonOf(() => verify(bundle, Buffer.from('other bytes')))).toContain('it signs another file');
  });

  it('is refused with another trust root', () => {
    const { trustRoot } = createAuthority();
    expect(reasonOf(() => verify(authority.bundle(FILE), FILE, trustRoot))).toMatch(
      /authority of the trust root|log of the trust root/,
    );
    const isOtherLog = { ...authority.trustRoot, tlogs: trustRoot.tlogs };
    expect(reasonOf(() => verify(authority.bundle(FILE), FILE, isOtherLog))).toContain('transparency log');
    expect(reasonOf(() => verifyBundle(JSON.stringify(authority.bundle(FILE)), FILE))).toContain(
      'authority of the trust root',
    );
  });

  it('is refused if the certificate had expired when the log recorded it, and not because it has since', () => {
    const issuedAt = new Date('2021-05-01T00:00:00Z');
    expect(verify(authority.bundle(FILE, { issuedAt }))).toContain(IDENTITY);
    const loggedAt = new Date(issuedAt.getTime() + 3_600_000);
    expect(reasonOf(() => verify(authority.bundle(FILE, { issuedAt, loggedAt })))).toContain('expired');
  });

  it.each<[string, RegExp, (bundle: Bundle, entry: Record<string, unknown>) => void]>([
    [
      'no log entry',
      /nothing proves when/,
      ({ verificationMaterial }) => {
        verificationMaterial.tlogEntries = [];
      },
    ],
    [
      'no promise',
      /nothing proves when/,
      (_, entry) => {
        delete entry.inclusionPromise;
      },
    ],
    [
      'no proof',
      /damaged/,
      (_, entry) => {
        delete entry.inclusionProof;
      },
    ],
    [
      'another time',
      /transparency log/,
      (_, entry) => {
        entry.integratedTime = '1772359300';
      },
    ],
    [
      'a key in place of the certificate',
      /damaged|no certificate/,
      ({ verificationMaterial }) => {
        delete verificationMaterial.certificate;
        verificationMaterial.publicKey = { hint: 'mine' };
      },
    ],
    [
      'the certificate of another bundle',
      /signature|transparency log/,
      ({ verificationMaterial }) => {
        verificationMaterial.certificate = authority.bundle(FILE).verificationMaterial.certificate ?? {};
      },
    ],
    [
      'the log entry of another bundle',
      /transparency log/,
      ({ verificationMaterial }) => {
        verificationMaterial.tlogEntries = authority.bundle(FILE).verificationMaterial.tlogEntries;
      },
    ],
    [
      'an expression in place of the name of the log',
      /damaged/,
      (_, { inclusionProof }) => {
        const { checkpoint } = inclusionProof as { checkpoint: { envelope: string } };
        checkpoint.envelope = checkpoint.envelope.replace(
          '\u2014 log.example.org',
          '\u2014 (.+)+(.+)+(.+)+x',
        );
      },
    ],
  ])('is refused with %s', (_, reason, change) => {
    expect(reasonOf(() => verify(bent(change)))).toMatch(reason);
  });

  it('is refused if it is no bundle', () => {
    for (const text of ['', '[]', '{}', '{"mediaType":1}', '\u0000', `${'['.repeat(100_000)}`])
      expect(reasonOf(() => verify(text))).toContain('is not valid');
  });

  it('is refused with any byte of it changed, or names the same signer', () => {
    const text = JSON.stringify(authority.bundle(FILE));
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        // Some bytes mean nothing: names of unknown keys, unused bits of base64, fields that a proof repeats.
        const reason = reasonOf(() => verify(changed));
        expect([`accepted: sigstore:${ISSUER} ${IDENTITY}`, 'The Sigstore bundle']).toContain(
          reason.startsWith('The Sigstore bundle') ? 'The Sigstore bundle' : reason,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is refused with any byte of its signed parts changed', () => {
    const parts: ((bundle: Bundle, entry: Record<string, unknown>) => [Record<string, unknown>, string])[] = [
      ({ messageSignature = {} }) => [messageSignature, 'signature'],
      ({ verificationMaterial: { certificate = {} } }) => [certificate, 'rawBytes'],
      (_, entry) => [entry, 'canonicalizedBody'],
      (_, entry) => [entry.inclusionPromise as Record<string, unknown>, 'signedEntryTimestamp'],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...parts), fc.nat(), fc.integer({ min: 1, max: 255 }), (find, at, flip) => {
        const changed = bent((bundle, entry) => {
          const [owner, key] = find(bundle, entry);
          const bytes = Buffer.from(String(owner[key]), 'base64');
          // The body of a certificate is signed; the header around it and what follows is not.
          const [start, end] = key === 'rawBytes' ? [8, 8 + bytes.readUInt16BE(6)] : [0, bytes.length];
          const index = start + (at % (end - start));
          bytes[index] = (bytes[index] ?? 0) ^ flip;
          owner[key] = bytes.toString('base64');
        });
        expect(reasonOf(() => verify(changed))).toContain('is not valid');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a trust root', () => {
  it('has an authority and a log', () => {
    expect(parseTrustRoot(JSON.stringify(authority.trustRoot))).toEqual(authority.trustRoot);
    const isEmpty = JSON.stringify({ ...authority.trustRoot, tlogs: [] });
    for (const text of ['', '{}', '[]', isEmpty, '{"tlogs":[{}]}'])
      expect(() => parseTrustRoot(text)).toThrow('no trust root');
  });
});
