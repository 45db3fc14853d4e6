/** People of the team, members of projects, and the audit log. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mount, mountRaw, type Router } from '@crewagent/server/team';
import { personNotFound } from '../accounts/people.ts';
import { type AccountRoutes, requireIdentity, toLink } from './account-routes.ts';

const AUDIT_PAGE = 100;
const MAX_AUDIT_PAGE = 1_000;

export function mountMembers(router: Router, routes: AccountRoutes): void {
  mountPeople(router, routes);
  mountProjectMembers(router, routes);
  mountAudit(router, routes);
}

function mountPeople(router: Router, routes: AccountRoutes): void {
  const { people, links } = routes.accounts;
  const endpoints = TEAM_ENDPOINTS.people;
  const linkFor = async (personId: string): Promise<string> =>
    toLink(routes, 'sign-in', await links.createSignIn(personId));
  mount(router, endpoints.list, async () => ({ people: await people.list() }));
  mount(router, endpoints.create, async ({ body }) => {
    const person = await people.create(body);
    return { person, link: await linkFor(person.personId) };
  });
  mount(router, endpoints.change, ({ params: { personId }, body }) => people.change(personId, body));
  mount(router, endpoints.createLink, async ({ params: { personId } }) => {
    if (!(await people.find(personId))) throw personNotFound();
    return { link: await linkFor(personId) };
  });
}

function mountProjectMembers(router: Router, routes: AccountRoutes): void {
  const { roles, links } = routes.accounts;
  const { members } = TEAM_ENDPOINTS;
  mount(router, members.list, async ({ params: { projectId } }) => ({
    members: await roles.members(projectId),
  }));
  mount(router, members.put, ({ params: { projectId, personId }, body: { role } }) =>
    roles.set(projectId, personId, role),
  );
  mount(router, members.remove, ({ params: { projectId, personId } }) => roles.remove(projectId, personId));
  mount(router, members.invitations, async ({ params: { projectId } }) => ({
    invitations: await links.invitations(projectId),
  }));
  mount(router, members.invite, async ({ viewer, params: { projectId }, body }) => {
    const { person } = requireIdentity(routes, viewer);
    const { token, invitation } = await links.invite({ ...body, projectId, createdBy: person.personId });
    return { invitation, link: toLink(routes, 'invitation', token) };
  });
  mount(router, members.revokeInvitation, ({ params: { projectId, linkId } }) =>
    links.revoke(projectId, linkId),
  );
  mount(router, members.policy, ({ params: { projectId } }) => roles.policy(projectId));
  mount(router, members.setPolicy, async ({ params: { projectId }, body }) => {
    await roles.setPolicy(projectId, body);
    return roles.policy(projectId);
  });
}

function mountAudit(router: Router, { accounts }: AccountRoutes): void {
  const { audit } = TEAM_ENDPOINTS;
  mount(router, audit.list, async ({ query: { project, before, limit = AUDIT_PAGE } }) => ({
    entries: await accounts.audit.list({
      projectId: project,
      before,
      limit: Math.min(limit, MAX_AUDIT_PAGE),
    }),
  }));
  mountRaw(router, audit.export, ({ query: { project } }) =>
    Promise.resolve(
      new Response(toStream(accounts.audit.export(project)), {
        headers: {
          'content-type': 'application/x-ndjson; charset=utf-8',
          'content-disposition': 'attachment; filename="audit.jsonl"',
        },
      }),
    ),
  );
}

function toStream(lines: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await lines.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}
