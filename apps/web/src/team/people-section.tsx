/** People of the team for administrators, and the members of a project with their roles and invitations. */
import type { Me, Person } from '@crewagent/protocol/api/accounts';
import { ROLES, type Role } from '@crewagent/protocol/roles';
import { Link, UserPlus, UserX, X } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Select } from '../ui/forms/input.tsx';
import { TextField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { MoreMenu, menuItem } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { Panel, ShownOnce } from './panel.tsx';
import { ProjectPolicy } from './project-policy.tsx';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

export function PeopleSection({ me }: { readonly me: Me }) {
  return (
    <>
      <Members me={me} />
      {me.person.isAdmin ? <People me={me} /> : undefined}
    </>
  );
}

interface ShownLink {
  readonly name: string;
  readonly link: string;
}

function People({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.people, () => team.people.list());
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<ShownLink>();
  return (
    <Panel
      title={t('team.people.title')}
      aside={
        <Button icon={<UserPlus className="size-4" />} onClick={() => setAdding(true)}>
          {t('team.people.add')}
        </Button>
      }
    >
      <ErrorNote issue={error} />
      <ul aria-label={t('team.people.title')} className="flex flex-col divide-y divide-line">
        {data?.people.map((person) => (
          <PersonRow
            key={person.personId}
            person={person}
            isMe={person.personId === me.person.personId}
            onLink={setShown}
          />
        ))}
      </ul>
      {isAdding ? <AddPerson onClose={() => setAdding(false)} onLink={setShown} /> : undefined}
      {shown ? (
        <ShownOnce
          title={t('team.people.linkTitle', { name: toShownLine(shown.name) })}
          text={t('team.people.linkText')}
          secret={shown.link}
          onClose={() => setShown(undefined)}
        />
      ) : undefined}
    </Panel>
  );
}

interface PersonRowProps {
  readonly person: Person;
  readonly isMe: boolean;
  readonly onLink: (link: ShownLink) => void;
}

function PersonRow({ person, isMe, onLink }: PersonRowProps) {
  const { t } = useTranslation();
  const { personId, email, isAdmin, isDisabled } = person;
  const name = toShownLine(person.name);
  const change = useChange(TEAM_KEYS.people, (body: { isDisabled: boolean }) =>
    team.people.change({ personId, body }),
  );
  const link = useAction(async () => onLink({ name, ...(await team.people.createLink({ personId })) }));
  const items = [
    menuItem('link', Link, t('team.people.link'), link.run),
    ...(isMe
      ? []
      : [
          menuItem('disable', UserX, t(isDisabled ? 'team.people.enable' : 'team.people.disable'), () =>
            change.run({ isDisabled: !isDisabled }),
          ),
        ]),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-40 grow basis-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-ink-faint">{toShownLine(email)}</span>
      </span>
      {isAdmin ? <Badge>{t('team.admin')}</Badge> : undefined}
      {isDisabled ? <Badge tone="warn">{t('team.people.disabled')}</Badge> : undefined}
      <MoreMenu label={t('team.people.actions', { name })} size="sm" items={items} />
      <ErrorNote issue={change.issue ?? link.issue} />
    </li>
  );
}

interface AddPersonProps {
  readonly onClose: () => void;
  readonly onLink: (link: ShownLink) => void;
}

function AddPerson({ onClose, onLink }: AddPersonProps) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const submit = useChange(TEAM_KEYS.people, async () => {
    const { link } = await team.people.create({ body: { name: name.trim(), email: email.trim(), isAdmin } });
    onClose();
    onLink({ name: name.trim(), link });
  });
  return (
    <FormDialog
      title={t('team.people.addTitle')}
      submitLabel={t('team.people.add')}
      submit={submit}
      canSubmit={name.trim() !== '' && email.includes('@')}
      isDirty={name !== '' || email !== ''}
      onClose={onClose}
    >
      <TextField label={t('team.name')} value={name} onChange={setName} />
      <TextField label={t('team.email')} type="email" value={email} onChange={setEmail} />
      <Checkbox label={t('team.people.makeAdmin')} isChecked={isAdmin} onChange={setAdmin} />
    </FormDialog>
  );
}

function Members({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const { data: projects } = useProjects();
  const [chosen, setChosen] = useState<string>();
  const projectId = chosen ?? projects?.[0]?.projectId;
  if (!projects || projectId === undefined) return undefined;
  const canManage = me.person.isAdmin || me.roles[projectId] === 'manage';
  return (
    <Panel
      title={t('team.members.title')}
      aside={
        <Select
          className="max-w-60"
          aria-label={t('team.members.project')}
          value={projectId}
          onChoose={setChosen}
          options={projects.map(({ projectId: value, name }) => ({ value, label: toShownLine(name) }))}
        />
      }
    >
      <ProjectMembers key={projectId} projectId={projectId} canManage={canManage} />
    </Panel>
  );
}

interface ProjectMembersProps {
  readonly projectId: string;
  readonly canManage: boolean;
}

function ProjectMembers({ projectId, canManage }: ProjectMembersProps) {
  const { t } = useTranslation();
  const key = TEAM_KEYS.members(projectId);
  const { data, error } = useTeamQuery(key, () => team.members.list({ projectId }));
  const [role, setRole] = useState<Role>('run');
  const [link, setLink] = useState<string>();
  const put = useChange(key, (personId: string, next: Role) =>
    team.members.put({ projectId, personId, body: { role: next } }),
  );
  const remove = useChange(key, (personId: string) => team.members.remove({ projectId, personId }));
  const invite = useAction(async () => {
    setLink((await team.members.invite({ projectId, body: { role } })).link);
  });
  const roles = ROLES.map((value) => ({ value, label: t(`team.roles.${value}`) }));
  return (
    <>
      <ErrorNote issue={error ?? put.issue ?? remove.issue ?? invite.issue} />
      {data?.members.length === 0 ? <p className="text-ink-faint">{t('team.members.none')}</p> : undefined}
      <ul aria-label={t('team.members.title')} className="flex flex-col divide-y divide-line">
        {data?.members.map(({ personId, email, role: own, ...member }) => {
          const name = toShownLine(member.name);
          return (
            <li key={personId} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <span className="min-w-40 grow basis-0">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-sm text-ink-faint">{toShownLine(email)}</span>
              </span>
              {canManage ? (
                <>
                  <Select
                    className="max-w-32"
                    aria-label={t('team.members.roleOf', { name })}
                    value={own}
                    onChoose={(next) => put.run(personId, next as Role)}
                    options={roles}
                  />
                  <IconButton
                    size="sm"
                    label={t('team.members.remove', { name })}
                    onClick={() => remove.run(personId)}
                  >
                    <X />
                  </IconButton>
                </>
              ) : (
                <Badge>{t(`team.roles.${own}`)}</Badge>
              )}
            </li>
          );
        })}
      </ul>
      {canManage ? (
        <div className="flex flex-wrap items-center gap-2 border-t pt-3">
          <Select
            className="max-w-32"
            aria-label={t('team.members.inviteAs')}
            value={role}
            onChoose={(next) => setRole(next as Role)}
            options={roles}
          />
          <Button icon={<UserPlus className="size-4" />} isBusy={invite.isBusy} onClick={invite.run}>
            {t('team.members.invite')}
          </Button>
        </div>
      ) : undefined}
      {canManage ? <ProjectPolicy projectId={projectId} /> : undefined}
      {link === undefined ? undefined : (
        <ShownOnce
          title={t('team.members.inviteTitle')}
          text={t('team.members.inviteText')}
          secret={link}
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  );
}
