export interface InitOptions {
  /** An administrator: the first one is created, and one that is there gets another link. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly publicUrl?: string | undefined;
}
/** `link`: with which the administrator signs in once. */
export declare function initTeam(
  databaseUrl: string,
  { email, name, publicUrl }: InitOptions,
): Promise<{
  readonly link?: string;
}>;
