export { openDatabase } from './database/database.ts';
export { createTeamAccounts, type TeamAccounts, type TeamAccountsOptions } from './team-accounts.ts';
