export { openDatabase } from './database/database.ts';
export { type KeyRing, loadKeys } from './secrets/key-ring.ts';
export { rotateSecrets } from './secrets/secret-document.ts';
export { createTeamSecrets } from './secrets/team-secrets.ts';
export { createTeamAccounts, type TeamAccounts, type TeamAccountsOptions } from './team-accounts.ts';
