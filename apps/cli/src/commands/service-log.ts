/**
 * What `serve --team` and `worker` report while they run: lines for people, or one JSON object per line for a log collector. Contains no
 * secret of the environment.
 */
import { hostProcess } from '../host-process.ts';
import { print, printError, sanitize, styleError } from '../terminal.ts';

export type LogFormat = 'text' | 'json';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export function createServiceLog(format: LogFormat = 'text', databaseUrl?: string) {
  const hide = createHide(databaseUrl);
  const write = (level: 'info' | 'warning' | 'error', message: string, fields: LogFields = {}): void => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
    (level === 'info' ? print : printError)(hide(line));
  };
  const isJson = format === 'json';
  return {
    /** `shown`: the line for people; without it they are not told. */
    info(message: string, fields: LogFields, shown?: string): void {
      if (isJson) write('info', message, fields);
      else if (shown !== undefined) print(shown);
    },
    onWarning(message: string): void {
      if (isJson) write('warning', message);
      else printError(`! ${sanitize(message)}`);
    },
    onBug(id: string, error: unknown): void {
      const { message, stack } = error instanceof Error ? error : { message: String(error) };
      const details = hostProcess().env.CREWAGENT_DEBUG ? stack : undefined;
      if (isJson) write('error', message, { id, stack: details });
      else printError(`${styleError('red', `Internal error ${id}:`)} ${hide(details ?? message)}`);
    },
    /** It was asked to end. */
    stopping(message: string): void {
      if (isJson) write('info', message);
      else printError(message);
    },
  };
}

export type ServiceLog = ReturnType<typeof createServiceLog>;

const SECRET_NAME = /key|secret|token|password/i;
/** Shorter values would hide ordinary words. */
const MIN_SECRET = 8;

function createHide(databaseUrl: string | undefined): (text: string) => string {
  const named = Object.entries(hostProcess().env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? value.split(',') : [],
  );
  const secrets = [...named, ...passwordOf(databaseUrl)].filter((value) => value.length >= MIN_SECRET);
  // A secret may be in a string of JSON.
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (text) => forms.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text);
}

function passwordOf(url: string | undefined): string[] {
  const password = url === undefined || !URL.canParse(url) ? '' : new URL(url).password;
  return [password, decodeURIComponent(password)];
}
