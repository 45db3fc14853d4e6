/**
 * Access to a team server: each call of each endpoint is compared with the table of rights here, and written to the audit log before it
 * changes something.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { CrewError } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { type Endpoint, isChanging } from '@crewagent/protocol/api/define-endpoint';
import { ENDPOINTS, listEndpoints } from '@crewagent/protocol/api/endpoints';
import { isObject } from '@crewagent/protocol/json-object';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { Access } from '@crewagent/server/team';
import type { Accounts } from '../accounts/accounts.ts';
import type { NewAuditEntry } from '../accounts/audit.ts';
import type { Database } from '../database/database.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { createAccessWatch } from './access-watch.ts';
import { checkCall, readsBody, type Targets } from './check-call.ts';
import type { AddressOf } from './client-address.ts';
import type { Identities, Identity } from './identities.ts';
import { RIGHTS, type Rule } from './rights.ts';

export interface TeamAccessOptions {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly identities: Identities;
  readonly inbox: Inbox;
  readonly addressOf: AddressOf;
  /** Who makes the call that is being handled. */
  readonly current: AsyncLocalStorage<Identity>;
  /** The approval preset of a Work that is started without one. */
  readonly usualApproval: () => Promise<ApprovalPreset>;
}

export function createTeamAccess(options: TeamAccessOptions): Access {
  const { database, accounts, identities, inbox, addressOf, current, usualApproval } = options;
  const rules = toRules();
  return {
    offers: (endpoint) => rules.has(endpoint),
    authenticate: (headers) => identities.authenticate(headers),
    watch: createAccessWatch(database, identities),
    async permit(viewer, endpoint, call) {
      const rule = rules.get(endpoint);
      if (!rule) throw new CrewError('NOT_FOUND', 'No such endpoint.');
      const identity = identities.of(viewer);
      const { params, query, headers } = call;
      const address = addressOf(headers, call.address);
      const log = createCallLog(accounts, { rule, endpoint, params, address, identity });
      const known = await log.failures(() => checkCall(database, rule, identity, { params, query }));
      return {
        async use(body, make) {
          const targets = await log.failures(async () => {
            const all = readsBody(rule)
              ? await checkCall(database, rule, identity, { params, query, body })
              : known;
            const given = isObject(body) ? body : {};
            const isStart = rule.name === START && given.approval === undefined;
            const fields = isStart ? { ...given, approval: await usualApproval() } : given;
            if (identity) await requireSecondPerson(accounts, { rule, identity, all, body: fields });
            return all;
          }, body);
          await log.begin(targets, body);
          const result = await log.failures(() => (identity ? current.run(identity, make) : make()), body);
          if (identity && rule.name === START) await recordStarter(accounts, result, identity);
          const workId = rule.name === START ? startedIn(result) : targets.workIds[0];
          if (identity && workId !== undefined && ACTIONS.has(rule.name))
            await inbox.acted(workId, identity.person.personId, textOf(body));
          return result;
        },
      };
    },
  };
}

const START = 'works.create';

/** What a person does in a Work that waits for them, or is new. */
const ACTIONS: ReadonlySet<string> = new Set([
  START,
  'works.input',
  'works.answer',
  'works.approve',
  'works.resume',
]);

/** A message; the first one of a Work is its `input`. */
function textOf(body: unknown): string | undefined {
  const text = isObject(body) ? (body.text ?? body.input) : undefined;
  return typeof text === 'string' ? text : undefined;
}

function startedIn(result: unknown): string | undefined {
  const workId = isObject(result) ? result.workId : undefined;
  return typeof workId === 'string' ? workId : undefined;
}

interface NamedRule extends Rule {
  readonly name: string;
}

function toRules(): ReadonlyMap<Endpoint, NamedRule> {
  const table = RIGHTS as Readonly<Record<string, Readonly<Record<string, Rule | 'absent'>>>>;
  return new Map(
    listEndpoints({ ...ENDPOINTS, ...TEAM_ENDPOINTS }).flatMap(
      ({ name, endpoint }): [Endpoint, NamedRule][] => {
        const [group = '', member = ''] = name.split('.');
        const rule = table[group]?.[member];
        return rule === undefined || rule === 'absent' ? [] : [[endpoint, { ...rule, name }]];
      },
    ),
  );
}

interface LoggedCall {
  readonly rule: NamedRule;
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
  readonly identity: Identity | undefined;
}

/** The entries of one call: one before it is made, and one if it is refused or fails. */
function createCallLog({ audit }: Accounts, logged: LoggedCall) {
  const { rule, endpoint, identity } = logged;
  const isAudited = isChanging(endpoint) && rule.isUnaudited !== true;
  let targets: Targets | undefined;
  const append = (outcome: string, body: unknown): Promise<void> =>
    audit.append(toEntry({ ...logged, targets, outcome, body }));
  return {
    async begin(all: Targets, body: unknown): Promise<void> {
      targets = all;
      // Whoever signs in is known only then: its route writes the entry.
      if (isAudited && rule.needs !== 'anyone') await append('allowed', body);
    },
    async failures<T>(step: () => Promise<T>, body?: unknown): Promise<T> {
      try {
        return await step();
      } catch (error) {
        const outcome = error instanceof CrewError ? error.code : 'INTERNAL';
        if (isAudited && (identity || FAILED_SIGN_INS.has(outcome))) await append(outcome, body);
        throw error;
      }
    },
  };
}

/** What a stranger leaves in the log. Attempts are limited, and those beyond the limit leave nothing. */
const FAILED_SIGN_INS: ReadonlySet<string> = new Set(['SIGN_IN_FAILED', 'LINK_EXPIRED']);

interface EntryFacts extends Omit<LoggedCall, 'endpoint'> {
  readonly targets: Targets | undefined;
  readonly outcome: string;
  readonly body: unknown;
}

function toEntry({ rule, params, address, identity, targets, outcome, body }: EntryFacts): NewAuditEntry {
  const noted = Object.entries(isObject(body) ? body : {}).filter(([name]) => rule.noted?.includes(name));
  const token = identity?.tokenId === undefined ? {} : { tokenId: identity.tokenId };
  const details = { ...params, ...token, ...Object.fromEntries(noted) };
  return {
    personId: identity?.person.personId,
    person: identity?.person.email,
    via: identity?.via ?? 'none',
    action: rule.name,
    projectId: targets?.projectIds[0],
    target: targets?.workIds[0],
    outcome,
    address,
    details: Object.keys(details).length > 0 ? details : undefined,
  };
}

interface ApprovalFacts {
  readonly rule: NamedRule;
  readonly identity: Identity;
  readonly all: Targets;
  readonly body: Readonly<Record<string, unknown>>;
}

async function requireSecondPerson(
  { roles }: Accounts,
  { rule, identity, all, body }: ApprovalFacts,
): Promise<void> {
  if (!rule.approves?.(body)) return;
  const [workId] = all.workIds;
  const [projectId] = all.projectIds;
  if (workId !== undefined) await roles.requireSecondPerson(workId, identity.person.personId);
  // A Work that begins with an approval would be approved by the person who starts it.
  else if (projectId !== undefined && (await roles.policy(projectId)).needsSecondPerson)
    throw new CrewError(
      'SECOND_PERSON_REQUIRED',
      'Approvals in this project need a second person, so a Work cannot start on autopilot.',
    );
}

async function recordStarter({ roles }: Accounts, result: unknown, { person }: Identity): Promise<void> {
  const workId = startedIn(result);
  if (workId !== undefined) await roles.recordStarter(workId, person.personId);
}
