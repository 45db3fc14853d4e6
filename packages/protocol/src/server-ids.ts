/** Ids of MCP servers. Separate from the schemas, because every run and every validation may need them. */

/** The id for the name of a server, e.g. in `allowedServers` of a package or in an imported file. */
export function toServerId(name: string): string {
  return name
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32)
    .replace(/-+$/, '');
}
