/** The team edition as the command line sees it. Nothing of it is loaded unless it is used. */
export { listQuotas, readCostsOf, setQuota } from './costs/operate-costs.ts';
export { startTeamServer, type TeamServer } from './http/serve-team.ts';
export { initTeam } from './init-team.ts';
export { startLocalPostgres } from './local-postgres.ts';
export { type RunningWorker, startWorker } from './queue/worker.ts';
export { readTeamStatus } from './read-status.ts';
export { rotateKeys } from './rotate-keys.ts';
export { loadKeys, parseKeys } from './secrets/key-ring.ts';
export { writeDeployment } from './write-deployment.ts';
