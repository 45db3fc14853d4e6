/** The identity provider of a team, from the environment. */
import { CrewError } from '@crewagent/core';
import type { OidcProvider } from './oidc.ts';

export function loadOidcProviders(
  env: Readonly<Record<string, string | undefined>>,
): readonly OidcProvider[] {
  const issuer = env.CREWAGENT_OIDC_ISSUER;
  const clientId = env.CREWAGENT_OIDC_CLIENT_ID;
  if (!issuer && !clientId) return [];
  if (!issuer || !clientId || !URL.canParse(issuer))
    throw new CrewError(
      'USAGE',
      'Set CREWAGENT_OIDC_ISSUER to the address of the identity provider, and CREWAGENT_OIDC_CLIENT_ID.',
    );
  return [
    {
      id: 'provider',
      name: env.CREWAGENT_OIDC_NAME || new URL(issuer).host,
      issuer,
      clientId,
      clientSecret: env.CREWAGENT_OIDC_CLIENT_SECRET || undefined,
      isTrustedWithEmail: env.CREWAGENT_OIDC_TRUST_EMAIL === '1',
      createsPeople: env.CREWAGENT_OIDC_CREATE_PEOPLE === '1',
    },
  ];
}
