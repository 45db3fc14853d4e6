/** An MCP server in the list: definition, status, switches, tools and a test. */
import '../../i18n/settings-texts.ts';
import '../../i18n/machine-texts.ts';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import {
  isStdio,
  type ListedServer,
  type McpServer,
  type ServerTest,
  type ServerTool,
} from '@crewagent/protocol/mcp';
import type { SandboxOptions, SandboxState } from '@crewagent/protocol/sandbox';
import { Fragment, useState } from 'react';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { fieldText, useTranslation } from '../../i18n/use-translation.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Fold } from '../../ui/fold.tsx';
import { Switch } from '../../ui/forms/checkbox.tsx';
import { Note } from '../../ui/note.tsx';
import { ConfirmButton } from '../../ui/overlays/alert-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { ServerLogin } from './server-login.tsx';

interface ServerRowProps {
  readonly listed: ListedServer;
  /** The project whose file is shown. */
  readonly project: ShownProject | undefined;
  /** Of this computer. */
  readonly sandbox: SandboxState;
}

type Switches = Partial<Pick<McpServer, 'enabled' | 'trusted' | 'disabledTools'>> & {
  readonly sandbox?: SandboxOptions | null;
};

export function ServerRow({ listed, project, sandbox }: ServerRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [result, setResult] = useState<ServerTest>();
  const { id, server, origin, storedValues, isApproved } = listed;
  const isOwn = origin === 'user';
  const projectId = project?.projectId;
  const act = useChange(SETTINGS_KEYS.servers, (work: () => Promise<unknown>) => work());
  const change = (body: Switches): void => act.run(() => client.servers.update({ server: id, body }));
  const test = useChange(SETTINGS_KEYS.servers, async () => {
    setResult(undefined);
    setResult(await client.servers.test({ server: id, body: projectId === undefined ? {} : { projectId } }));
  });
  const tools = result?.ok ? result.tools : (listed.tools ?? []);
  return (
    <li className="flex flex-col gap-3 rounded-lg border bg-surface p-3.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium">{id}</h3>
        <Status listed={listed} />
        {isOwn ? undefined : (
          <Badge>{t('servers.fromProject', { name: toShownLine(project?.name ?? '') })}</Badge>
        )}
        <span className="grow" />
        {isApproved ? (
          <Button
            size="sm"
            isBusy={test.isBusy}
            aria-label={t('servers.testOf', { server: id })}
            onClick={() => test.run()}
          >
            {t('action.test')}
          </Button>
        ) : undefined}
        {isOwn ? (
          <ConfirmButton
            label={t('action.remove')}
            name={t('servers.removeOf', { server: id })}
            title={t('servers.removeTitle', { server: id })}
            isDisabled={act.isBusy}
            onConfirm={() => act.run(() => client.servers.remove({ server: id }))}
          >
            {t('servers.removeText')}
          </ConfirmButton>
        ) : undefined}
      </div>
      <code className="font-mono text-sm wrap-anywhere text-ink-soft">{describe(server)}</code>
      {storedValues.length > 0 ? (
        <p className="text-sm text-ink-faint">
          {t('servers.values', { names: storedValues.map(toShownLine).join(', ') })}
        </p>
      ) : undefined}
      <p className="text-sm text-ink-faint">{t(isolationOf(server, sandbox))}</p>
      {isOwn ? <OwnSwitches id={id} server={server} isBusy={act.isBusy} onChange={change} /> : undefined}
      {isOwn || projectId === undefined ? undefined : (
        <Approval listed={listed} isBusy={act.isBusy} projectId={projectId} onAct={act.run} />
      )}
      {isApproved ? <ServerLogin listed={listed} projectId={projectId} /> : undefined}
      <Outcome listed={listed} result={result} />
      {tools.length > 0 ? (
        <ServerTools
          tools={tools}
          disabled={server.disabledTools}
          isFixed={!isOwn || act.isBusy}
          onChange={(disabledTools) => change({ disabledTools })}
        />
      ) : undefined}
      <ErrorNote issue={act.issue ?? test.issue} />
    </li>
  );
}

function describe(server: McpServer): string {
  return toShownLine(isStdio(server) ? [server.command, ...server.args].join(' ') : server.url);
}

/** What the server can reach. */
function isolationOf(server: McpServer, { kind, isIsolating }: SandboxState) {
  if (!isStdio(server)) return 'servers.isolation.http';
  if (!server.sandbox) return 'servers.isolation.none';
  if (kind === 'none') return 'servers.isolation.missing';
  if (!isIsolating) return 'servers.isolation.unverified';
  return server.sandbox.network ? 'servers.isolation.network' : 'servers.isolation.sandbox';
}

const TONES: Readonly<Record<ListedServer['status']['state'], Tone>> = {
  stopped: 'neutral',
  starting: 'accent',
  ready: 'ok',
  failed: 'bad',
  'needs-login': 'warn',
};

function Status({ listed: { isApproved, server, status } }: Pick<ServerRowProps, 'listed'>) {
  const { t } = useTranslation();
  if (!isApproved) return <Badge tone="warn">{t('servers.notApproved')}</Badge>;
  if (!server.enabled) return <Badge>{t('servers.off')}</Badge>;
  return <Badge tone={TONES[status.state]}>{t(`servers.states.${status.state}`)}</Badge>;
}

const NO_ACCESS: SandboxOptions = { network: false, hosts: [], folders: [], git: false };

interface OwnSwitchesProps {
  readonly id: string;
  readonly server: McpServer;
  readonly isBusy: boolean;
  readonly onChange: (switches: Switches) => void;
}

function OwnSwitches({ id, server, isBusy, onChange }: OwnSwitchesProps) {
  const { t } = useTranslation();
  const sandbox = isStdio(server) ? server.sandbox : undefined;
  const inSandbox = (name: 'network' | 'git') => (isOn: boolean) =>
    onChange({ sandbox: { ...NO_ACCESS, ...sandbox, [name]: isOn } });
  const switches: readonly [path: string, isOn: boolean, change: (isOn: boolean) => void][] = [
    ['enabled', server.enabled, (enabled) => onChange({ enabled })],
    ['trusted', server.trusted, (trusted) => onChange({ trusted })],
    ['sandbox', sandbox !== undefined, (isOn) => onChange({ sandbox: isOn ? NO_ACCESS : null })],
    ['sandbox.network', sandbox?.network ?? false, inSandbox('network')],
    ['sandbox.git', sandbox?.git ?? false, inSandbox('git')],
  ];
  const shown = switches.slice(0, sandbox ? 5 : isStdio(server) ? 3 : 2);
  return (
    <div className="flex flex-col gap-2 sm:max-w-md">
      {shown.map(([path, isOn, change]) => {
        const text = (name: string) => fieldText(t, `server.${path}`, name, { server: id });
        return (
          <Fragment key={path}>
            <Switch label={text('label')} isOn={isOn} isDisabled={isBusy} onChange={change} />
            <p className="text-sm text-ink-faint empty:hidden">{text('hint')}</p>
          </Fragment>
        );
      })}
    </div>
  );
}

interface ApprovalProps {
  readonly listed: ListedServer;
  readonly projectId: string;
  readonly isBusy: boolean;
  readonly onAct: (work: () => Promise<unknown>) => void;
}

/** Approves the definition as shown; the server rejects it if the file has changed since. */
function Approval({ listed: { id, hash, isApproved }, projectId, isBusy, onAct }: ApprovalProps) {
  const { t } = useTranslation();
  const { servers } = useApi();
  const target = { projectId, server: id };
  const act = () => (isApproved ? servers.revoke(target) : servers.approve({ ...target, body: { hash } }));
  return (
    <div className="flex flex-col items-start gap-2">
      {isApproved ? undefined : <p className="text-sm text-ink-faint">{t('servers.approveText')}</p>}
      <Button
        size="sm"
        disabled={isBusy}
        aria-label={t(isApproved ? 'servers.revokeOf' : 'servers.approveOf', { server: id })}
        onClick={() => onAct(act)}
      >
        {t(isApproved ? 'servers.revoke' : 'servers.approve')}
      </Button>
    </div>
  );
}

/** Result of the last test, else the last failure while a Work used the server. */
function Outcome({
  listed: { status },
  result,
}: {
  readonly listed: ListedServer;
  readonly result: ServerTest | undefined;
}) {
  const { t } = useTranslation();
  if (result?.ok)
    return (
      <p role="status" className="text-ok">
        {t('servers.tested', { ms: result.ms, count: result.tools.length })}
      </p>
    );
  const { error, stderr } = result ?? status;
  if (error === undefined || result?.needsLogin) return undefined;
  return (
    <Note
      level="error"
      title={t('servers.failed')}
      details={stderr ? { label: t('servers.stderr'), text: stderr } : undefined}
    >
      {toShownLine(error)}
    </Note>
  );
}

interface ServerToolsProps {
  readonly tools: readonly ServerTool[];
  /** Names of the disabled tools, as the server names them. */
  readonly disabled: readonly string[];
  readonly isFixed: boolean;
  readonly onChange: (disabled: string[]) => void;
}

/** Tools of an MCP server, each with a switch. */
function ServerTools({ tools, disabled, isFixed, onChange }: ServerToolsProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const toggle = (ownName: string, isOn: boolean): void => {
    const others = disabled.filter((name) => name !== ownName);
    onChange(isOn ? others : [...others, ownName]);
  };
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={t('servers.tools', { count: tools.length })}
    >
      {() => (
        <ul className="flex flex-col gap-2">
          {tools.map(({ name, ownName, description, isReadOnly }) => (
            <li key={name}>
              <Switch
                label={
                  <span className="flex flex-wrap items-center gap-2">
                    <code className="font-mono text-sm wrap-anywhere">{toShownLine(ownName)}</code>
                    {isReadOnly ? <Badge>{t('servers.readOnly')}</Badge> : undefined}
                  </span>
                }
                isOn={!disabled.includes(ownName)}
                isDisabled={isFixed}
                onChange={(isOn) => toggle(ownName, isOn)}
              />
              <p className="max-w-lg text-sm text-ink-faint wrap-anywhere">
                {toShownLine(description.split('\n', 1)[0] ?? '')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
