/**
 * The hosts that a network gate lets through: names with the ports 80 and 443, or with the port that an entry names. Pure.
 */
import { isHostName } from '@crewagent/protocol/sandbox';

export interface Target {
  /** In lower case, without a dot at its end. */
  readonly name: string;
  readonly port: number;
}

const WEB_PORTS = [80, 443];

/** `entries` as in the settings: `example.org`, `*.example.org` (not `example.org` itself), `example.org:8443`. */
export function createHostList(entries: readonly string[]): (target: Target) => boolean {
  const rules = entries.map((entry) => {
    const [name = '', port] = entry.toLowerCase().split(':');
    return { name, ports: port === undefined ? WEB_PORTS : [Number(port)] };
  });
  const matches = (rule: string, name: string): boolean =>
    rule.startsWith('*.') ? name.endsWith(rule.slice(1)) : name === rule;
  return ({ name, port }) => rules.some((rule) => rule.ports.includes(port) && matches(rule.name, name));
}

/** The target in a request: `name:port`, where the port may be left out if there is a default. Undefined for anything else. */
export function parseTarget(authority: string, defaultPort?: number): Target | undefined {
  const [, written = '', digits] = /^([^:]{1,254})(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const name = written.toLowerCase().replace(/\.$/, '');
  const port = digits === undefined ? defaultPort : Number(digits);
  if (!isHostName(name) || !isUrlHost(name)) return undefined;
  if (port === undefined || port < 1 || port > 65_535) return undefined;
  return { name, port };
}

/** Whether a URL has this host: not every label that begins with `xn--` is one. */
function isUrlHost(name: string): boolean {
  return URL.canParse(`http://${name}`) && new URL(`http://${name}`).hostname === name;
}

export function describeTarget({ name, port }: Target): string {
  return WEB_PORTS.includes(port) ? name : `${name}:${port}`;
}
