/** The cookie of a session: for this host only, invisible to scripts, never sent with a request that another site has caused. */
export interface SessionCookie {
  read(headers: Headers): string | undefined;
  /** Value of a `Set-Cookie` header. */
  write(token: string, maxAgeSeconds: number): string;
  clear(): string;
}

/** Browsers accept the prefix with `Secure` only, which needs https. */
export function createSessionCookie(
  isSecure: boolean,
  name = 'crewagent',
  sameSite = 'Strict',
): SessionCookie {
  const fullName = isSecure ? `__Host-${name}` : name;
  const flags = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  const pattern = new RegExp(`(?:^|;)[ \\t]*${fullName}=([\\w-]{43})[ \\t]*(?=;|$)`);
  return {
    read: (headers) => pattern.exec(headers.get('cookie') ?? '')?.[1],
    write: (token, maxAgeSeconds) => `${fullName}=${token}; Max-Age=${maxAgeSeconds}; ${flags}`,
    clear: () => `${fullName}=; Max-Age=0; ${flags}`,
  };
}
