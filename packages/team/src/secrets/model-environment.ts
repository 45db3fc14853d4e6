/** The environment that models, servers and hooks may name variables of: without what opens the database and the secrets of the team. */
export type Environment = Readonly<Record<string, string | undefined>>;

const OF_THE_OPERATOR = /^(?:CREWAGENT_(?:SECRET_KEY|DATABASE_URL|S3_|OIDC_|METRICS_)|PG)/;

export function toModelEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_THE_OPERATOR.test(name)));
}
