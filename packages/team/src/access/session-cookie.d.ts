/** The cookie of a session: for this host only, invisible to scripts, never sent with a request that another site has caused. */
export interface SessionCookie {
  read(headers: Headers): string | undefined;
  /** Value of a `Set-Cookie` header. */
  write(token: string, maxAgeSeconds: number): string;
  clear(): string;
}
/** Browsers accept the prefix with `Secure` only, which needs https. */
export declare function createSessionCookie(
  isSecure: boolean,
  name?: string,
  sameSite?: string,
): SessionCookie;
